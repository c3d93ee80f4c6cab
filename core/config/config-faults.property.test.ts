import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { validateConfig } from "./load-config.ts";

const CONFIGS = 1_000;

const name = fc.constantFrom("a", "docs", "main-2", "x.y");
const junk = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.constant({}),
  fc.double(),
);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 40, arbitrary: value }, { weight: 1, arbitrary: junk });
const section = (keys: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, maybe(value)])), {
    requiredKeys: [],
  });
/** A key somebody mistyped, now and then. */
const withTypos = (value: fc.Arbitrary<Record<string, unknown>>) =>
  fc
    .tuple(
      value,
      fc.oneof(
        { weight: 20, arbitrary: fc.constant(null) },
        {
          weight: 1,
          arbitrary: fc.constantFrom("comand", "severty", "timeout", "taks", "__proto__x", "ü", ""),
        },
      ),
    )
    .map(([object, key]) => (key === null ? object : { ...object, [key]: 1 }));

const worker = withTypos(
  section({
    task: fc.string({ minLength: 1 }),
    max: fc.integer({ min: 1, max: 10_000 }),
    limits: withTypos(
      section({
        contextPercent: fc.integer({ min: 1, max: 99 }),
        sessionMinutes: fc.integer({ min: 1, max: 600 }),
      }),
    ),
  }),
);
const gate = withTypos(
  section({
    command: fc.string({ minLength: 1 }),
    severity: fc.constantFrom("block", "warn"),
    timeoutSeconds: fc.integer({ min: 1, max: 900 }),
    inputs: fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }),
  }),
);
const pattern = withTypos(
  section({
    id: fc.constantFrom("no-x", "p1"),
    severity: fc.constantFrom("HIGH", "MEDIUM", "LOW"),
    pattern: fc.constant("x+"),
    message: fc.constant("m"),
    suggestion: fc.constant("s"),
    match: fc.constant(["x"]),
    noMatch: fc.constant(["y"]),
  }),
);
const config = withTypos(
  section({
    workers: fc.dictionary(maybe(name).map(String), maybe(worker), { maxKeys: 2 }),
    gates: fc.dictionary(name, maybe(gate), { maxKeys: 2 }),
    critic: section({
      stopAt: fc.constantFrom("HIGH", "MEDIUM", "LOW"),
      patterns: fc.array(maybe(pattern), { maxLength: 2 }),
    }),
    tasks: fc.string({ minLength: 1 }),
  }),
);

const valueAt = (root: unknown, path: string): unknown => {
  let value = root;
  for (const part of path.match(/\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/g) ?? []) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[
      part.startsWith('["') ? (JSON.parse(part.slice(1, -1)) as string) : part
    ];
  }
  return value;
};

test("every fault of 1,000 generated configs names a path, what is there, and what to write instead; none crashes", () => {
  let valid = 0;
  let faulty = 0;
  fc.assert(
    fc.property(config, (value) => {
      try {
        validateConfig(value, "agent.config.json");
        valid += 1;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        faulty += 1;
        expect(error.code).toBe("config");
        expect(error.faults.length).toBeGreaterThan(0);
        for (const { path, message } of error.faults) {
          expect(path).not.toBe("");
          expect(error.message).toContain(`${path}: ${message}`);
          // What to do: the value that would do, the nearest known key, or the names that may stand there.
          expect(message).toMatch(/must (?:be|match)|did you mean|known keys|is missing/);
          // What is there: the value itself, unless it is a key that has no business being there.
          const found = valueAt(value, path);
          if (message.startsWith("is ") && !message.startsWith("is missing"))
            expect(found).not.toBe(undefined);
        }
      }
    }),
    { numRuns: CONFIGS, seed: 20_261_120 },
  );
  // Both kinds came up often enough for the sentence above to mean something.
  expect(Math.min(valid, faulty)).toBeGreaterThan(CONFIGS / 20);
});
