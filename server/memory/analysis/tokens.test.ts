import fc from "fast-check";
import { expect, test } from "vitest";
import { createAliases } from "./aliases.ts";
import { tokenize } from "./tokens.ts";

const terms = (text: string): string[] => tokenize(text).map(({ term }) => term);
const whole = (text: string): string[] =>
  tokenize(text)
    .filter(({ kind }) => kind === "whole")
    .map(({ term }) => term);

test("leaves stop words out and cuts words to their stem", () => {
  expect(terms("The tests are running while connections were closed")).toEqual([
    "test",
    "run",
    "connect",
    "close",
  ]);
});

test.each([
  ["getUserById", "get_user_by_id"],
  ["get_user_by_id", "get_user_by_id"],
  ["get-user-by-id", "get_user_by_id"],
  ["HTTPServer", "http_server"],
  ["ERR_MODULE_NOT_FOUND", "err_module_not_found"],
  ["user.profile.name", "user_profile_name"],
  ["TS2322", "ts_2322"],
  ["v1.2.3", "v1_2_3"],
  ["@sinclair/typebox", "sinclair_typebox"],
  ["--no-verify", "no_verify"],
  ["gate-test-trigger-1700000000123", "gate_test_trigger_1700000000123"],
  ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e0_4f89_11d3_9a0c_0305e82c3301"],
])("keeps %s whole as %s", (text, term) => {
  expect(whole(text)).toContain(term);
});

test("finds a compound by its parts, a path by its file, and forgets the line behind it", () => {
  expect(terms("getUserById")).toEqual(expect.arrayContaining(["user"]));
  expect(terms("src/foo/bar-baz.ts:12:5")).toEqual(
    expect.arrayContaining(["src_foo_bar_baz_ts", "bar_baz_ts", "foo", "bar", "baz"]),
  );
  expect(terms("src/foo/bar-baz.ts:12:5")).not.toContain("12");
});

test("one spelling for words that are written together, apart or with a hump", () => {
  for (const text of ["typecheck", "type-check", "typeCheck"]) expect(terms(text)).toContain("typecheck");
});

test("names made of punctuation, accents and scripts without spaces are found", () => {
  expect(terms("C++ and C# code")).toEqual(["cpp", "csharp", "code"]);
  expect(terms("café Ärger")).toEqual(["cafe", "arger"]);
  expect(terms("日本語")).toEqual(["日本", "本語"]);
  expect(terms("constructor toString __proto__")).toEqual(expect.arrayContaining(["constructor"]));
});

test("gives safe terms of bounded length for any text, and the same ones with and without an accent nearby", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      for (const { term } of tokenize(text)) {
        expect(term.length).toBeLessThanOrEqual(64);
        expect(term).not.toMatch(/["\s\u0000]/);
      }
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 200 }), (text) => {
      expect(terms(`${text} éé`)).toEqual([...terms(text), "ee"]);
    }),
  );
});

test("an alias counts in both directions, a user's own line more than the built-in one", () => {
  const aliases = createAliases("# ours\natlas = project-a\nslow snail");
  expect(aliases.get("k8")).toBeUndefined();
  expect(aliases.get("k8s")).toContainEqual({ term: "kubernet", factor: 0.9 });
  expect(aliases.get("atla")).toContainEqual({ term: "project_a", factor: 0.9 });
  expect(aliases.get("slow")).toContainEqual({ term: "snail", factor: 0.9 });
  expect(aliases.get("latenc")).toContainEqual({ term: "slow", factor: 0.55 });
});
