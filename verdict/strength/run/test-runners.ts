import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readFileIfThere } from "../../../core/read-file.ts";
import { readManifest } from "../../../gates/package-manager.ts";
import { nameGoFiles } from "./go-files.ts";
import {
  readCargo,
  readGoLines,
  readJestJson,
  readJunit,
  readNodeLines,
  type TestResult,
} from "./read-report.ts";

export type TestRunner = {
  id: "node:test" | "vitest" | "jest" | "pytest" | "go test" | "cargo test";
  /** for a shell, in the folder of the project; `report` is where it shall write what it found */
  command: (report: string, reporter: string) => string;
  /** what it found, out of the report or, where it has none, out of what it printed */
  read: (report: string, printed: string, room: string) => TestResult[];
};

/** A reporter of our own: node:test's built-in ones do not name the files on every version of Node. */
export const NODE_REPORTER = `export default async function* (events) {
  for await (const { type, data } of events)
    if (type === "test:pass" || type === "test:fail")
      yield JSON.stringify({ type, name: data.name, nesting: data.nesting, file: data.file, skip: data.skip, todo: data.todo, kind: data.details?.type }) + "\\n";
}
`;

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Options that would send the report elsewhere, or make the run wait. */
const withoutReports = (command: string): string =>
  command.replaceAll(
    /\s--(?:test-reporter(?:-destination)?|reporters?|outputFile|coverage|watch|ui|json)(?:[= ](?!-)[^\s]+|(?=\s|$))/g,
    "",
  );

const IN_SCRIPT: {
  id: TestRunner["id"];
  word: RegExp;
  insert: (report: string, reporter: string) => string;
}[] = [
  {
    id: "node:test",
    word: /\bnode(?=\s(?:\S+\s)*?--test\b)/,
    insert: (report, reporter) =>
      ` --test-reporter=${quote(reporter)} --test-reporter-destination=${quote(report)}`,
  },
  {
    id: "vitest",
    word: /\bvitest(?:\s+run)?\b/,
    insert: (report) => ` --reporter=json --outputFile=${quote(report)}`,
  },
  { id: "jest", word: /\bjest\b/, insert: (report) => ` --json --outputFile=${quote(report)}` },
];

const ofScripts = (room: string): TestRunner[] => {
  const scripts = readManifest(room)?.scripts ?? {};
  const segments = ["test", "test:unit", "unit"].flatMap((name) =>
    (scripts[name] ?? "").split(/&&|\|\||;|\|/),
  );
  for (const segment of segments)
    for (const { id, word, insert } of IN_SCRIPT) {
      const match = word.exec(segment);
      if (!match) continue;
      const plain = withoutReports(segment).trim();
      const read: TestRunner["read"] =
        id === "node:test"
          ? (report, _, folder) => readNodeLines(report, folder)
          : (report, _, folder) => readJestJson(report, folder);
      return [
        {
          id,
          read,
          command: (report, reporter) =>
            plain.replace(
              word,
              (own) => `${id === "vitest" ? "vitest run" : own}${insert(report, reporter)}`,
            ),
        },
      ];
    }
  return [];
};

const hasPytest = (room: string): boolean =>
  ["pytest.ini", ".pytest.ini", "conftest.py"].some((name) => existsSync(join(room, name))) ||
  /\[tool\.pytest|\bpytest\b/.test(readFileIfThere(join(room, "pyproject.toml")) ?? "") ||
  /\[(?:tool:)?pytest\]/.test(
    `${readFileIfThere(join(room, "setup.cfg")) ?? ""}${readFileIfThere(join(room, "tox.ini")) ?? ""}`,
  ) ||
  ["tests", "test"].some(
    (folder) =>
      existsSync(join(room, folder)) &&
      readdirSync(join(room, folder)).some((name) => /^test_.*\.py$|_test\.py$/.test(name)),
  );

/** The runners of a project's tests that speak a report, by the project's own scripts and files. */
export const listTestRunners = (room: string): TestRunner[] => {
  const runners = ofScripts(room);
  if (hasPytest(room))
    runners.push({
      id: "pytest",
      command: (report) =>
        `python3 -m pytest -q -p no:cacheprovider -o junit_family=xunit1 --junitxml=${quote(report)}`,
      read: (report) => readJunit(report),
    });
  if (existsSync(join(room, "go.mod")))
    runners.push({
      id: "go test",
      command: () => "go test -json ./...",
      read: (_, printed, folder) => nameGoFiles(readGoLines(printed), folder),
    });
  if (existsSync(join(room, "Cargo.toml")))
    runners.push({
      id: "cargo test",
      command: () => "cargo test --no-fail-fast 2>&1",
      read: (_, printed) => readCargo(printed),
    });
  return runners;
};
