import type { SourceModel, TestCase } from "./source-model.ts";

/** A source that differs between base and HEAD; a side is undefined where there is none. */
export type ChangedSource = { file: string; base: SourceModel | undefined; head: SourceModel | undefined };

export type PlacedTest = { file: string; test: TestCase };
export type Pairs = {
  pairs: { base: PlacedTest; head: PlacedTest }[];
  gone: PlacedTest[];
  added: PlacedTest[];
};

/** What `own` has more of than `other`, as often as it has it more; equal is what has the same key. */
export const moreBy = <T>(own: readonly T[], other: readonly T[], keyOf: (each: T) => string): T[] => {
  const left = new Map<string, number>();
  for (const key of other.map(keyOf)) left.set(key, (left.get(key) ?? 0) + 1);
  return own.filter((each) => {
    const count = left.get(keyOf(each)) ?? 0;
    left.set(keyOf(each), count - 1);
    return count <= 0;
  });
};

export const moreOf = (own: readonly string[], other: readonly string[]): string[] =>
  moreBy(own, other, String);

const likeness = (one: string, other: string): number => {
  const [own, their] = [one.split(" "), other.split(" ")];
  const shared = own.length - moreOf(own, their).length;
  return (2 * shared) / (own.length + their.length);
};

const ALIKE = 0.6;

const isRewritten = (base: PlacedTest, head: PlacedTest): boolean => {
  const calls = new Set(head.test.calls);
  return (
    base.file === head.file &&
    base.test.calls.length > 0 &&
    base.test.calls.some((call) => calls.has(call)) &&
    likeness(base.test.body, head.test.body) >= ALIKE
  );
};

/** Which test of HEAD is which of the base: by file and name, by name, by what it does, by how alike it is. */
export const pairTests = (changed: readonly ChangedSource[]): Pairs => {
  const listOf = (side: "base" | "head"): PlacedTest[] =>
    changed.flatMap(({ file, [side]: model }) => (model?.tests ?? []).map((test) => ({ file, test })));
  const gone = new Set(listOf("base"));
  const added = new Set(listOf("head"));
  const pairs: Pairs["pairs"] = [];
  const pairBy = (isSame: (base: PlacedTest, head: PlacedTest) => boolean): void => {
    for (const base of gone)
      for (const head of added)
        if (isSame(base, head)) {
          pairs.push({ base, head });
          gone.delete(base);
          added.delete(head);
          break;
        }
  };
  pairBy((base, head) => base.file === head.file && base.test.name === head.test.name);
  pairBy((base, head) => base.test.body !== "" && base.test.body === head.test.body);
  pairBy((base, head) => base.test.name === head.test.name);
  pairBy(isRewritten);
  return { pairs, gone: [...gone], added: [...added] };
};
