import { posix } from "node:path";
import type { BuiltInGate } from "./built-in-gate.ts";
import type { SourceFacts } from "./source-facts.ts";
import { checkSyntax, isSource } from "./syntax.ts";

const isIn = (folder: string | undefined, file: string): boolean =>
  folder === undefined || posix.join(folder, "x") === "x" || file.startsWith(posix.join(folder, "/"));

/** Counts up when the same source gives another answer: kept answers are of the version before. */
const VERSION = 5;

const syntaxGate = (
  kind: keyof SourceFacts,
  about: Pick<BuiltInGate, "severity" | "summary"> & { name: string; isAbout?: (file: string) => boolean },
): BuiltInGate => ({
  severity: about.severity,
  summary: about.summary,
  make: ({ cwd }, { reader, chosen }) => ({
    check: checkSyntax(kind, reader),
    select: (files) =>
      (chosen?.() ?? files).filter(
        (file) => isSource(file) && isIn(cwd, file) && (about.isAbout?.(file) ?? true),
      ),
    cacheKey: JSON.stringify([about.name, VERSION]),
    hasBaseline: true,
  }),
});

export const anyGate = syntaxGate("any", {
  name: "any",
  severity: "block",
  summary: "Explicit any in TypeScript",
  isAbout: (file) => /\.[cm]?tsx?$/.test(file),
});

export const todoGate = syntaxGate("todo", {
  name: "todo",
  severity: "warn",
  summary: "TODO, FIXME, XXX and HACK in comments",
});

export const consoleGate = syntaxGate("consoleLog", {
  name: "console",
  severity: "warn",
  summary: "Calls of console.log",
});
