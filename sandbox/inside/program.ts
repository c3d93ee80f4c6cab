import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppError } from "../../core/errors.ts";

/** The compiled file of a program that runs inside, whether we run compiled ourselves or from sources beside a build. */
export const insideProgram = (name: "offer"): string => {
  const beside = fileURLToPath(new URL(`${name}.js`, import.meta.url));
  if (existsSync(beside)) return beside;
  const built = fileURLToPath(new URL(`../../dist/sandbox/inside/${name}.js`, import.meta.url));
  if (existsSync(built)) return built;
  throw new AppError("unavailable", `a program of the sandbox is not built (${built}); run: npm run build`);
};
