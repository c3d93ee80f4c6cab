import type { StrengthFinding } from "./kinds.ts";

const SNAPSHOT = /\.(?:snap|ambr|golden|approved\.\w+|snapshot|shot)$|(?:^|\/)__(?:image_)?snapshots__\//;
const DATA =
  /(?:^|\/)(?:testdata|__fixtures__|golden|goldens|expected)\/|(?:^|\/)(?:tests?|__tests__|spec|e2e)\/(?:.*\/)?(?:fixtures?|data|expected|cassettes|resources)\/|(?:^|[._-])expected\.\w+$/;
const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs)$/;

/** A file of recorded or expected answers. */
export const isExpectedFile = (file: string): boolean =>
  SNAPSHOT.test(file) || (DATA.test(file) && !CODE.test(file));

/** The entries of a file that Jest or Vitest wrote, with their lines. */
const readEntries = (text: string): Map<string, { value: string; line: number }> => {
  const entries = new Map<string, { value: string; line: number }>();
  let line = 1;
  let counted = 0;
  for (const match of text.matchAll(/^exports\[`((?:\\.|[^`\\])*)`\] = `((?:\\.|[^`\\])*)`;$/gm)) {
    line += text.slice(counted, match.index).split("\n").length - 1;
    counted = match.index;
    entries.set(match[1] ?? "", { value: match[2] ?? "", line });
  }
  return entries;
};

/** What was recorded and is now recorded otherwise. What is new, or has a new name, is no change. */
export const compareExpected = (
  file: string,
  baseText: string,
  headText: string | undefined,
): StrengthFinding[] => {
  const isSnapshot = SNAPSHOT.test(file);
  const kind = isSnapshot ? "snapshot-rewritten" : "expected-data-changed";
  const what = isSnapshot ? "the snapshot" : "what the tests expect in";
  const one = (line: number, message: string): StrengthFinding => ({
    kind,
    file,
    line,
    message,
    language: "data",
  });
  if (headText === undefined) return [one(1, `${what} ${file} is gone`)];
  const [base, head] = [readEntries(baseText), readEntries(headText)];
  if (base.size === 0) return [one(1, `${what} ${file} was rewritten`)];
  const values = new Set([...head.values()].map(({ value }) => value));
  return [...base].flatMap(([name, { value }]) => {
    const now = head.get(name);
    if (now ? now.value === value : values.has(value)) return [];
    return [one(now?.line ?? 1, `the snapshot ${JSON.stringify(name)} ${now ? "was rewritten" : "is gone"}`)];
  });
};
