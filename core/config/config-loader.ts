import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { defaultLoaders, type Loader } from "cosmiconfig";
import { AppError, systemCode } from "../errors.ts";
import { withoutMark } from "../read-file.ts";

type Module = Readonly<Record<string, unknown>>;

/** Whether this runtime imports TypeScript by itself (Bun; Node from 22.18 on). */
const isNative = (): boolean =>
  process.versions["bun"] !== undefined || Boolean((process.features as { typescript?: unknown }).typescript);

const ownIndex = (): string | undefined => {
  const root = resolve(import.meta.dirname, "../..");
  return [join(root, "index.js"), join(root, "index.ts")].find((path) => existsSync(path));
};

/**
 * jiti runs what Node 20 cannot, and lets a config import `nightshift` where the package is not in the
 * project's own node_modules (npx, a global install).
 */
const importWithJiti = async (path: string): Promise<Module> => {
  const { createJiti } = await import("jiti");
  const index = ownIndex();
  const jiti = createJiti(dirname(path), {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    ...(index ? { alias: { nightshift: index } } : {}),
  });
  return jiti.import<Module>(path);
};

const importNatively = async (path: string): Promise<Module> => {
  // A pool runs for weeks: a config that was changed meanwhile is another module.
  const version = statSync(path).mtimeMs;
  return (await import(`${pathToFileURL(path).href}?changed=${version}`)) as Module;
};

/** Everything that a JavaScript or TypeScript file exports, as it is on the disk now. */
export const importModule = async (path: string): Promise<Module> => {
  if (!isNative() && /\.(ts|mts)$/.test(path)) return importWithJiti(path);
  try {
    return await importNatively(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return importWithJiti(path);
    throw error;
  }
};

/**
 * cosmiconfig's own TypeScript loader needs the classic compiler, which TypeScript 7 has not
 * (cosmiconfig#363), and writes beside the config (cosmiconfig#350): this one does neither.
 */
export const loadModule: Loader = async (path) => {
  const module = await importModule(path);
  if ("default" in module) return module["default"];
  // What CommonJS exports is the config itself.
  if (!("__esModule" in module) && !(Symbol.toStringTag in module)) return module;
  throw new AppError("config", "it has no default export; write: export default defineConfig({ … })");
};

/** JSON, also with the mark that some editors put before it. */
export const loadJson: Loader = (path, text) => defaultLoaders[".json"](path, withoutMark(text));
