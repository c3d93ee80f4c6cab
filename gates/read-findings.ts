import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Finding, nowhere } from "./gate.ts";
import { createTestReader } from "./read-test-failures.ts";

const MAX_FINDINGS = 10_000;

// tsc: src/a.ts(3,7): error TS2322: …
const WITH_BRACKETS = /^(.+?)\((\d+),\d+\): (?:error )?(.+)$/;
// gcc, oxlint, eslint unix, tsc --pretty, rustc, go: src/a.ts:3:7: …
const WITH_COLONS = /^\s*(?:-->\s*)?((?:[A-Za-z]:)?[^:\s][^:]*):(\d+)(?::\d+)?(?::|\s+-|\s)\s*(.+)$/;
// eslint stylish, under a line with the file's name
const UNDER_FILE = /^\s+(\d+):\d+\s+(error|warning)\s+(.+)$/;

/** The problems in a tool's output that name a file which exists; every other line is left to the output. */
export const readFindings = (
  output: string,
  { root, folder }: { root: string; folder: string },
): Finding[] => {
  const findings: Finding[] = [];
  const known = new Map<string, string | undefined>();
  const find = (name: string): string | undefined => {
    if (!known.has(name)) {
      const path = resolve(folder, name);
      const inside = relative(root, path).replaceAll("\\", "/");
      known.set(name, existsSync(path) && inside !== "" && !inside.startsWith("..") ? inside : undefined);
    }
    return known.get(name);
  };
  let current: string | undefined;
  const tests = createTestReader(findings, find);
  for (const raw of stripVTControlCharacters(output).split("\n")) {
    const line = raw.trimEnd();
    if (findings.length >= MAX_FINDINGS) {
      // Without a place, so that no baseline excuses what was not read.
      findings.push(nowhere(`more than ${MAX_FINDINGS} problems; the rest was not read`));
      break;
    }
    if (tests.read(line)) continue;
    const under = current === undefined ? null : UNDER_FILE.exec(line);
    if (under && current !== undefined) {
      findings.push({ file: current, line: Number(under[1]), message: (under[3] ?? "").trim() });
      continue;
    }
    const match = WITH_BRACKETS.exec(line) ?? WITH_COLONS.exec(line);
    const file = match ? find((match[1] ?? "").trim()) : undefined;
    if (match && file !== undefined)
      findings.push({
        file,
        line: Number(match[2]),
        message: (match[3] ?? "").replace(/^error\s*:?\s*/i, "").trim(),
      });
    else if (line !== "" && !/^\s/.test(line)) current = find(line);
  }
  tests.end();
  return findings;
};
