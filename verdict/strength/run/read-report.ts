import { parseJson } from "../../../core/parse-json.ts";

export type TestOutcome = "passed" | "failed" | "skipped";

/** One test as its runner reported it; `file` is relative to the folder it ran in, undefined where none is told. */
export type TestResult = { name: string; file: string | undefined; outcome: TestOutcome };

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const parseLines = (text: string): Fields[] => text.split("\n").map(parseJson).filter(isFields);

const relativeTo = (room: string, file: string): string | undefined => {
  const path = file.replace(/^file:\/\//, "");
  return path === "" ? undefined : path.startsWith(`${room}/`) ? path.slice(room.length + 1) : path;
};

/** Vitest's and Jest's JSON. */
export const readJestJson = (text: string, room: string): TestResult[] => {
  const report = parseJson(text);
  return listOf(isFields(report) ? report["testResults"] : []).flatMap((suite) =>
    listOf(suite["assertionResults"]).map((test) => {
      const status = textOf(test["status"]);
      const titles = Array.isArray(test["ancestorTitles"]) ? test["ancestorTitles"].map(textOf) : [];
      return {
        name: [...titles, textOf(test["title"])].join(" > "),
        file: relativeTo(room, textOf(suite["name"])),
        outcome: status === "passed" ? "passed" : status === "failed" ? "failed" : "skipped",
      };
    }),
  );
};

/** The lines of our own reporter for node:test: a test comes after those inside of it. */
export const readNodeLines = (text: string, room: string): TestResult[] => {
  const results: TestResult[] = [];
  const inside = new Map<string, { nesting: number; result: TestResult }[]>();
  for (const line of parseLines(text)) {
    const file = textOf(line["file"]);
    const nesting = Number(line["nesting"]);
    const open = inside.get(file) ?? [];
    // A file without tests is a test by its path.
    const name = relativeTo(room, textOf(line["name"])) ?? "";
    const at = open.findIndex((each) => each.nesting > nesting);
    const own = at < 0 ? [] : open.splice(at);
    for (const { result } of own) result.name = `${name} > ${result.name}`;
    const isOff = line["skip"] !== undefined || line["todo"] !== undefined;
    const outcome = isOff ? "skipped" : line["type"] === "test:pass" ? "passed" : "failed";
    const result: TestResult = { name, file: relativeTo(room, file), outcome };
    if (line["kind"] !== "suite" && own.length === 0) open.push({ nesting, result });
    for (const each of own) open.push({ ...each, nesting });
    inside.set(file, open);
  }
  for (const open of inside.values()) results.push(...open.map(({ result }) => result));
  return results;
};

const unescape = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll(/&#(\d+);|&#x([\da-f]+);/gi, (_, decimal: string | undefined, hex: string | undefined) =>
      String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? "20", 16) : Number(decimal)),
    )
    .replaceAll("&amp;", "&");

const attributeOf = (text: string, name: string): string =>
  unescape(new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1] ?? "");

/** pytest's JUnit file, of the family that names files. */
export const readJunit = (text: string): TestResult[] =>
  [...text.matchAll(/<testcase\b([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g)].map(([, head = "", body = ""]) => {
    const file = attributeOf(head, "file") || undefined;
    const classes = attributeOf(head, "classname")
      .split(".")
      .filter((part) => /^[A-Z]/.test(part));
    const outcome = /<(?:failure|error)\b/.test(body)
      ? "failed"
      : /<skipped\b/.test(body)
        ? "skipped"
        : "passed";
    return { name: [...classes, attributeOf(head, "name")].join("."), file, outcome };
  });

/** What `go test -json` writes. A package that does not build has no test. */
export const readGoLines = (text: string): TestResult[] =>
  parseLines(text).flatMap((line): TestResult[] => {
    const outcome = ({ pass: "passed", fail: "failed", skip: "skipped" } as const)[textOf(line["Action"])];
    const test = textOf(line["Test"]);
    return outcome && test !== ""
      ? [{ name: `${textOf(line["Package"])} ${test}`, file: undefined, outcome }]
      : [];
  });

const CARGO = { ok: "passed", FAILED: "failed", ignored: "skipped" } as const;

/** What `cargo test` prints; its stable channel has no other report. */
export const readCargo = (text: string): TestResult[] => {
  let target = "";
  return text.split("\n").flatMap((line): TestResult[] => {
    const running = /^\s*(?:Running (?:unittests )?(\S+) \(|Doc-tests (\S+))/.exec(line);
    if (running) target = running[1] ?? `doc ${running[2]}`;
    const test = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/.exec(line);
    const outcome = CARGO[test?.[2] as keyof typeof CARGO];
    // An example of the documentation goes by its line, which moves.
    return test
      ? [
          {
            name: `${target} ${test[1]?.replace(/ \(line \d+\)$/, "")}`,
            file: target.endsWith(".rs") ? target : undefined,
            outcome,
          },
        ]
      : [];
  });
};
