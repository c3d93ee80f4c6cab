import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { replaceAssigned, replaceUserOption } from "./assigned-secrets.ts";
import { redactSecrets } from "./redaction.ts";
import { listShapes, replacePrivateKeys } from "./secret-shapes.ts";

const SEED = 20261122;
const MIB = 1024 * 1024;

/** Texts that fit a pattern, made from it; what looks around is left out, as the generator knows none of it. */
const examplesOf = (pattern: RegExp, count: number): string[] =>
  fc.sample(fc.stringMatching(new RegExp(`^${pattern.source.replaceAll(/\(\?<?[!=][^)]*\)|\\b/g, "")}$`)), {
    numRuns: count,
    seed: SEED,
  });

test("the rules are those of the kept list that they are made from", async () => {
  const script = join(import.meta.dirname, "../build/secret-rules.mjs");
  const { renderSecretRules } = (await import(script)) as { renderSecretRules: () => string };
  const rules = (text: string) => text.match(/^ {2}\[[^]*?\],$/gm)?.map((line) => line.replaceAll(/\s/g, ""));
  const written = readFileSync(join(import.meta.dirname, "secret-rules.ts"), "utf8");
  expect(rules(written)?.join("\n").replaceAll(",]", "]")).toBe(rules(renderSecretRules())?.join("\n"));
});

test.each(listShapes().map((shape) => [shape.name, shape] as const))(
  "%s: examples made from its pattern are taken out of a sentence, whole",
  (_, { pattern }) => {
    for (const example of examplesOf(pattern, 20)) {
      const clean = redactSecrets(`set it to ${example} and go on`);
      expect(clean).toMatch(/^set it to .*\[REDACTED:\w+\]\S* and go on$/);
      expect(clean).not.toContain(example);
    }
  },
);

/** Time of this process alone, however busy the machine is. */
const workOf = (act: () => unknown): number => {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

const fill = (piece: string, size: number): string =>
  piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

const LEAST_MICROS = 20_000;
/** Four times the text is four times the work where it is linear, and sixteen times where it is quadratic. */
const MOST_GROWTH = 9;

/** Grows the text step by step, so that what is not linear fails early instead of running for hours. */
const expectLinear = (what: string, piece: string, act: (text: string) => unknown): void => {
  let before = Math.min(...[1, 2, 3].map(() => workOf(() => act(fill(piece, MIB / 64)))));
  for (const size of [MIB / 16, MIB / 4, MIB]) {
    const text = fill(piece, size);
    let work = workOf(() => act(text));
    const limit = Math.max(LEAST_MICROS, before * MOST_GROWTH);
    // What others on the machine cost us differs from run to run; what a pattern costs does not.
    for (let again = 0; again < 10 && work > limit; again++)
      work = Math.min(
        work,
        workOf(() => act(text)),
      );
    expect(work, `${what}: ${size} characters of ${JSON.stringify(piece.slice(0, 80))}`).toBeLessThanOrEqual(
      limit,
    );
    before = work;
  }
};

/** What makes a pattern try long and fail: its own text again and again, cut off at every kind of place. */
const worstCases = (pattern: RegExp): string[] => {
  const [example = "", other = ""] = examplesOf(pattern, 2);
  const tail = example.slice(Math.floor(example.length / 2), -1);
  return [
    example.slice(0, -1),
    `${example.slice(0, 7)}-`,
    example.slice(0, 4),
    example.slice(0, Math.ceil(example.length / 2)),
    `${other.slice(0, -2)} `,
    `-${tail}`,
  ].filter((piece) => piece.length > 0);
};

test(
  "every shape takes time linear in the text, in a mebibyte of what is worst for it",
  { tags: ["long"] },
  () => {
    for (const { name, pattern } of listShapes())
      for (const piece of worstCases(pattern)) {
        expectLinear(name, piece, (text) => text.replace(pattern, ""));
        // A beginning once, and a run without an end behind it.
        const head = examplesOf(pattern, 1)[0]?.slice(0, 8) ?? "";
        expectLinear(name, piece, (text) => `${head}${text}`.replace(pattern, ""));
      }
  },
);

const linearInAMebibyteOf = (piece: string): void => {
  expectLinear("redactSecrets", piece, redactSecrets);
  for (const step of [replaceAssigned, replaceUserOption, replacePrivateKeys])
    expectLinear(step.name, piece, (text) => step(text, () => ""));
};

const REDACTED = "redaction as a whole takes time linear in a mebibyte of %j";
test.each(["a-", "password=", "Bearer a", "a://b:c", "-----BEGIN A ", "eyJaaaaaaaaaaaa."])(
  REDACTED,
  linearInAMebibyteOf,
);
test.each([
  "a_",
  "a.",
  'password="',
  `password='a password="b `,
  "password:password:",
  "a=",
  "api_key = ",
  "--password ",
  "secret\n",
  " -u a",
  ' -u "a',
  " -u a:",
  "curl -u ",
  "Bearer ",
  "Bearer   ",
  "a://",
  "http://a:",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN RSA PRIVATE KEY-----\nabc\n",
  "-----END PRIVATE KEY-----",
  "eyJ",
  "-eyJaaaaaaaaaaaa",
  "1",
  " ",
  "[REDACTED:x]",
])(REDACTED, { tags: ["long"] }, linearInAMebibyteOf);
