import type { Call } from "../call.ts";
import { hasAny, isDry, readTold } from "../options.ts";
import { isDisk, isVital, lossAt, placeOf } from "../places.ts";
import { type DoesHarm, type FindHarm, raising } from "./rule.ts";

const isLost = (path: string, { places }: Call): boolean => lossAt(path, places) !== "none";

const findRemoval: DoesHarm = (call) => {
  const { program, words, places } = call;
  if (isDry(call)) return false;
  if (program === "rm" || program === "srm" || program === "rimraf" || program === "del-cli") {
    const told = readTold(words);
    const isWhole = program !== "rm" || hasAny(told, "-r", "-R", "--recursive");
    const takesAll = told.operands.some((path) =>
      isWhole ? isLost(path, call) : isVital(path, places) || takesHome(path, call),
    );
    return takesAll;
  }
  if (program === "shred") {
    const { operands } = readTold(words, { withValue: ["-n", "-s", "--iterations"] });
    return !operands.some(isDisk) && operands.some((path) => lossAt(path, places) === "outside");
  }
  if (program === "unlink" || program === "truncate")
    return words.some((path) => path.startsWith("/") && isVital(path, places));
  return false;
};

/** `rm -f ~/*` takes no folders, and everything else. */
const takesHome = (path: string, { places }: Call): boolean =>
  path.endsWith("*") &&
  lossAt(path, places) === "outside" &&
  [places.home, "/", "/home"].includes(placeOf(path.replace(/\/?[^/]*$/, "") || "/", places));

/** The words of `find` before its first test: the places it looks in. */
const listStarts = (words: readonly string[]): string[] => {
  const from = words.findIndex((word) => !/^-[HLPDO]/.test(word));
  const rest = words.slice(Math.max(0, from));
  const end = rest.findIndex((word) => /^[-(!]/.test(word));
  const starts = end < 0 ? rest : rest.slice(0, end);
  return starts.length > 0 ? starts : ["."];
};

const FILTERS = /^-(?:i?name|i?path|i?regex|i?wholename|mtime|mmin|ctime|atime|size|empty|newer\w*)$/;

const findFound: DoesHarm = (call) => {
  const { program, words, places } = call;
  if (program !== "find" || !words.includes("-delete")) return false;
  const isFiltered = words.some((word) => FILTERS.test(word));
  const loss = listStarts(words).map((path) => lossAt(path, places));
  if (loss.includes("outside")) return true;
  return loss.includes("tree") && !isFiltered;
};

const findMirror: DoesHarm = (call) => {
  const { program, words, places } = call;
  if (program !== "rsync" || isDry(call)) return false;
  const told = readTold(words, { withValue: ["-e", "--rsh", "--exclude", "--include", "--filter", "-f"] });
  if (hasAny(told, "-n") || !words.some((word) => word.startsWith("--del"))) return false;
  const target = told.operands.at(-1) ?? "";
  return /^[\w.@-]+:/.test(target) || lossAt(target, places) !== "none";
};

const findMove: DoesHarm = ({ program, words, places }) => {
  if (program !== "mv") return false;
  const { operands } = readTold(words, { withValue: ["-t", "--target-directory"] });
  if (operands.at(-1) === "/dev/null") return true;
  return operands.slice(0, -1).some((path) => ["/", places.home].includes(placeOf(path, places)));
};

/** `rd /s /q`, `del /s`, `Remove-Item -Recurse`: other shells, the same loss. */
const findWindows: DoesHarm = (call) => {
  const { program, words } = call;
  const isCmd =
    ["rd", "rmdir", "del", "erase"].includes(program) && words.some((word) => /^\/s$/i.test(word));
  const isPowerShell =
    ["remove-item", "ri"].includes(program) && words.some((word) => /^-r(?:ecurse)?$/i.test(word));
  if (!isCmd && !isPowerShell) return false;
  const paths = words.filter((word) => !/^(?:\/[a-z]|-\w+)$/i.test(word));
  const isOutside = (path: string): boolean =>
    /^(?:[a-z]:|%|\\\\|~|\$env)/i.test(path) || isLost(path.replaceAll("\\", "/"), call);
  return paths.some(isOutside);
};

/** Code that deletes a folder by the library of its language. */
const DELETES_IN_CODE =
  /(?:rmtree|rmSync|rm_rf|rm_r|remove_entry_secure|removeSync|emptyDirSync|promises\.rm|fs\.rm|rmdirSync|rimraf(?:\.sync)?|Path\.home\(\))\s*\(\s*(?:os\.path\.expanduser\()?\s*["'`]([^"'`]+)["'`]/g;

const findInCode: DoesHarm = (call) => {
  if (!/^(?:python[\d.]*|node|bun|deno|ruby|perl|php)$/.test(call.program)) return false;
  const code = [...call.words, call.input ?? ""].join("\n");
  for (const [, path = ""] of code.matchAll(DELETES_IN_CODE)) if (isLost(path, call)) return true;
  return false;
};

export const FILE_RULES: readonly FindHarm[] = [
  raising("D4", [findRemoval, findFound, findMirror, findMove, findWindows, findInCode]),
];
