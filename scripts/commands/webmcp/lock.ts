import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { writeFileDurably } from "../../../core/durable-file.ts";
import { AppError, errorText } from "../../../core/errors.ts";
import { checkLock, lockTools, type ToolLock } from "../../../webmcp/index.ts";
import { defineCommand } from "../../command/define-command.ts";
import { compiling, DOCUMENT_ARGUMENT, loadDocument } from "./load-document.ts";

const LOCK_OPTION = {
  file: {
    type: "string",
    description: "The lock file",
    placeholder: "file",
    default: "webmcp.lock.json",
    complete: "file",
  },
} as const;

export const webmcpLock = defineCommand({
  args: [DOCUMENT_ARGUMENT],
  options: LOCK_OPTION,
  examples: ["nightshift webmcp lock openapi.yaml"],
  run: async ({ args, options }, { cwd, reporter, signal }) => {
    const document = await loadDocument(args.openapi, cwd, signal);
    const lock = await compiling(() => lockTools(document));
    const path = resolve(cwd, options.file);
    writeFileDurably(path, `${JSON.stringify(lock, null, 2)}\n`);
    reporter.answer({ file: path, ...lock }, [
      `wrote ${path}: ${Object.keys(lock.tools).length} tools, digest ${lock.digest.slice(0, 12)}`,
    ]);
  },
});

export const webmcpCheck = defineCommand({
  args: [DOCUMENT_ARGUMENT],
  options: LOCK_OPTION,
  examples: ["nightshift webmcp check openapi.yaml"],
  run: async ({ args, options }, { cwd, reporter, signal }) => {
    const document = await loadDocument(args.openapi, cwd, signal);
    const lock = readLock(resolve(cwd, options.file), args.openapi);
    const drift = await compiling(() => checkLock(document, lock));
    if (drift === undefined) {
      reporter.answer({ drifted: false }, `${Object.keys(lock.tools).length} tools, all as they were locked`);
      return true;
    }
    reporter.answer({ drifted: true, ...drift }, [
      ...drift.added.map((name) => `added    ${name}`),
      ...drift.removed.map((name) => `removed  ${name}`),
      ...drift.changed.map((name) => `changed  ${name}`),
      `if this is meant: nightshift webmcp lock ${args.openapi}`,
    ]);
    return false;
  },
});

const readLock = (path: string, document: string): ToolLock => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("not-found", `cannot read ${path}; make it with: nightshift webmcp lock ${document}`, {
      cause: error,
    });
  }
  try {
    const lock = JSON.parse(text) as Partial<ToolLock>;
    if (lock.version === 1 && typeof lock.tools === "object" && lock.tools !== null) return lock as ToolLock;
  } catch (error) {
    throw new AppError("bad-data", `${path} is not JSON: ${errorText(error)}`, { cause: error });
  }
  throw new AppError(
    "bad-data",
    `${path} is not a lock file of this version; make it again with: nightshift webmcp lock ${document}`,
  );
};
