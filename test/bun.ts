import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The Bun binary that the `bun` devDependency carries: fixtures that are TypeScript run on it. */
export const bunBinary = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe");
