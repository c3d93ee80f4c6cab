import type { Finding } from "./gate.ts";

type Place = { file: string; line: number };
type Find = (name: string) => string | undefined;

const TITLES = [
  /^\s*FAIL\s+\S+\.[cm]?[jt]sx?\s+>\s+(.+)$/, // vitest
  /^\s*●\s+(?!Console$)(.+)$/, // jest
  /^\s*not ok \d+ - (.+?)(?:\s+#.*)?$/, // TAP, as node:test writes it to a pipe
  /^\s*--- FAIL: (\S+)/, // go test
];
const WORDS = [
  /^\s*(?:\w*Error)(?: \[\w+\])?: (.+)$/,
  /^\s*error: '?(.+?)'?$/, // TAP
  /^\s*(Expected[\w ]*: .+)$/, // jest
  /^E\s{3,}(.+)$/, // pytest
];
// vitest: ❯ src/a.test.ts:5:17; stacks: at Object.<anonymous> (src/a.test.js:3:20)
const STACK = /^\s*(?:❯\s+(?:\S+ )?|at (?:.*\()?(?:async )?)(?:file:\/\/)?([^\s():][^():]*):(\d+):\d+\)?$/;
const TAP_PLACE = /^\s*location: '?(.+?):(\d+):\d+'?$/;
const SPEC_PLACE = /^test at (.+?):(\d+):\d+$/; // node:test, as it writes to a terminal
const SPEC_TITLE = /^✖ (.+?)(?: \([\d.]+ms\))?$/;
const PANIC = /^thread '(.+?)'(?: \(\d+\))? panicked at (?:'(.*)', )?([^:]+):(\d+):\d+:?$/; // cargo test
const GO_LINE = /^\s+([\w.-]+_test\.go):(\d+): (.+)$/;
const GO_PACKAGE = /^(?:FAIL|---)\s+(\S+\/\S+|\S+)\s+[\d.]+s$/;
const PYTEST = /^(?:FAILED|ERROR) (\S+?)::(\S+) - (.+)$/;

const firstMatch = (patterns: readonly RegExp[], line: string): string | undefined => {
  for (const pattern of patterns) {
    const words = pattern.exec(line)?.[1];
    if (words !== undefined) return words;
  }
  return undefined;
};

/**
 * Reads failed tests out of what test runners print (node:test, vitest, jest, pytest, go test, cargo): the
 * test's name, what it said, and where. Fed line by line; `isTaken` says that a line was one of a test's.
 */
export const createTestReader = (findings: Finding[], find: Find) => {
  let title: string | undefined;
  let words: string | undefined;
  let place: Place | undefined;
  let last: { found: Finding; name: string } | undefined;
  let isGoingOn = false;
  const ofPackage: { line: number; file: string; message: string }[] = [];

  const add = ({ file, line }: Place, name: string): void => {
    const found = { file, line, message: words === undefined ? name : `${name}: ${words}` };
    findings.push(found);
    last = words === undefined ? { found, name } : undefined;
    title = undefined;
    words = undefined;
  };
  /** What a test says may go on in the next line: behind a colon, in a block of TAP, with what jest received. */
  const hear = (said: string): void => {
    const text = said === "|-" ? "" : said;
    words = isGoingOn ? `${words ?? ""} ${text}`.trim() : (words ?? text);
    isGoingOn = text === "" || text.endsWith(":") || /^Expected[\w ]*: /.test(text);
    if (last && words !== "") last.found.message = `${last.name}: ${words}`;
    if (last && !isGoingOn) last = words = undefined;
  };
  const placeOf = (match: RegExpExecArray | null): Place | undefined => {
    const file = match ? find(match[1] ?? "") : undefined;
    return file === undefined || file.includes("node_modules/")
      ? undefined
      : { file, line: Number(match?.[2]) };
  };

  /** go test names files by their folder, which it names only at the end. */
  const resolvePackage = (name: string): void => {
    const parts = name.split("/");
    for (const { file, line, message } of ofPackage.splice(0)) {
      const at = parts.map((_, index) => [...parts.slice(index), file].join("/")).concat(file);
      const found = at.map(find).find((path) => path !== undefined);
      if (found !== undefined) findings.push({ file: found, line, message });
    }
  };

  const read = (line: string): boolean => {
    if (isGoingOn && line.trim() !== "") {
      hear(line.trim());
      return true;
    }
    const panic = PANIC.exec(line);
    const panicFile = panic ? find(panic[3] ?? "") : undefined;
    if (panic && panicFile !== undefined) {
      words = panic[2];
      add({ file: panicFile, line: Number(panic[4]) }, panic[1] ?? "");
      isGoingOn = panic[2] === undefined;
      return true;
    }
    const pytest = PYTEST.exec(line);
    if (pytest) {
      const [, name = "", test = "", said = ""] = pytest;
      const known = findings.find(
        ({ file, message }) => file === find(name) && /^\w*(?:Error|Exception)$/.test(message),
      );
      if (known) known.message = `${test}: ${said}`;
      return known !== undefined;
    }
    const go = GO_LINE.exec(line);
    if (go) {
      const message = title === undefined ? (go[3] ?? "") : `${title}: ${go[3]}`;
      ofPackage.push({ file: go[1] ?? "", line: Number(go[2]), message });
      return true;
    }
    const goPackage = GO_PACKAGE.exec(line)?.[1];
    if (goPackage !== undefined) {
      resolvePackage(goPackage);
      title = undefined;
      return true;
    }
    const spec = placeOf(SPEC_PLACE.exec(line));
    if (spec) {
      place = spec;
      return true;
    }
    const specTitle = place && SPEC_TITLE.exec(line)?.[1];
    if (place && specTitle !== undefined) {
      words = undefined;
      add(place, specTitle);
      place = undefined;
      return true;
    }
    const named = firstMatch(TITLES, line);
    if (named !== undefined) {
      title = named;
      words = undefined;
      last = undefined;
      return true;
    }
    const said = title === undefined && !last ? undefined : firstMatch(WORDS, line);
    if (said !== undefined) {
      hear(said);
      return false; // pytest repeats it beside the place
    }
    const at = title === undefined ? undefined : placeOf(TAP_PLACE.exec(line) ?? STACK.exec(line));
    if (at && title !== undefined) {
      add(at, title);
      return true;
    }
    return false;
  };
  return { read, end: () => resolvePackage("") };
};
