import { AppError } from "../core/errors.ts";

/** A regular expression a user typed; stateless, so that it may be used again and again. */
export const toRegExp = (source: string, flags: string): RegExp => {
  try {
    return new RegExp(source, flags.replaceAll(/[gy]/g, ""));
  } catch (error) {
    throw new AppError(
      "usage",
      `/${source}/${flags} is not a regular expression: ${(error as Error).message}`,
    );
  }
};
