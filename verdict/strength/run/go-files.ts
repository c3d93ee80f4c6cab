import { dirname, join, posix } from "node:path";
import { listByGlobs } from "../../../core/list-files.ts";
import { readFileIfThere } from "../../../core/read-file.ts";
import type { TestResult } from "./read-report.ts";

/** Go names the package of a test; the file is the one of its folder that has the function. */
export const nameGoFiles = (results: readonly TestResult[], room: string): TestResult[] => {
  const module = /^module\s+(\S+)/m.exec(readFileIfThere(join(room, "go.mod")) ?? "")?.[1] ?? "";
  const files = new Map<string, string>();
  for (const file of listByGlobs(["**/*_test.go"], room)) {
    const text = readFileIfThere(join(room, file)) ?? "";
    for (const match of text.matchAll(/^func (?:\([^)]*\) )?((?:Test|Fuzz|Example)\w*)\(/gm))
      files.set(`${posix.join(module, dirname(file))} ${match[1]}`, file);
  }
  return results.map((result) => ({ ...result, file: files.get(topOf(result.name)) }));
};

/** `example.com/text TestReverse/umlaut` is one of `TestReverse`. */
const topOf = (name: string): string => {
  const [folder = "", test = ""] = name.split(" ");
  return `${folder} ${test.split("/")[0]}`;
};
