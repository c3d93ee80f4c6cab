import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SetLearning } from "../retrieval-set/parse.ts";

/** How a context is put: `none` fits no learning; the others ask for one in the way that they are named for. */
export type BlindKind = "words" | "forms" | "identifier" | "long" | "short" | "none";
export type BlindContext = { context: string; source: string; kind: BlindKind; right?: number };
export type BlindSet = { learnings: (SetLearning & { source: string })[]; contexts: BlindContext[] };

const KINDS: Record<string, BlindKind> = {
  w: "words",
  f: "forms",
  e: "identifier",
  i: "long",
  q: "short",
  n: "none",
};

/**
 * Learnings and contexts that were written before anybody looked at what the ranking makes of them, a file for each
 * source. Nothing is tuned on them.
 */
export const readBlindSet = (): BlindSet => {
  const set: BlindSet = { learnings: [], contexts: [] };
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".txt"));
  for (const file of files.sort())
    for (const line of readFileSync(join(import.meta.dirname, file), "utf8").split("\n"))
      readLine(set, { line: line.trim(), source: basename(file, ".txt") });
  return set;
};

const readLine = (
  { learnings, contexts }: BlindSet,
  { line, source }: { line: string; source: string },
): void => {
  const [, trigger, learning] = /^= (.+?) => (.+)$/.exec(line) ?? [];
  const [, letter = "", context] = /^([wfeiqn]): (.+)$/.exec(line) ?? [];
  const kind = KINDS[letter];
  if (trigger !== undefined && learning !== undefined)
    learnings.push({ key: learnings.length, trigger, learning, source });
  else if (kind !== undefined && context !== undefined)
    contexts.push({ context, source, kind, ...(kind === "none" ? {} : { right: learnings.length - 1 }) });
  else if (line !== "" && !line.startsWith("#")) throw new Error(`${source}: cannot read the line "${line}"`);
};
