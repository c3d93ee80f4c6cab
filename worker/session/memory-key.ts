import { readFileSync } from "node:fs";
import { AppError, systemCode } from "../../core/errors.ts";

/** The key of the memory service. @throws AppError `not-found` that says who makes it */
export const readMemoryKey = (keyFile: string): string => {
  try {
    return readFileSync(keyFile, "utf8").trim();
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    throw new AppError(
      "not-found",
      `the memory's key file ${keyFile} is not there; the server makes it at its first start (nightshift serve), or copy it from the server's machine`,
      { cause: error },
    );
  }
};
