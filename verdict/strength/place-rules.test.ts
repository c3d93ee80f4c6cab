import { expect, test } from "vitest";
import { markLines } from "./line-rules.ts";
import { lex, type LexedLanguage } from "./tokens.ts";

const kindsIn = (language: LexedLanguage, text: string, isTest = false): string[] =>
  markLines(lex(text, language), { language, file: "src/a", isTest }).map(({ kind }) => kind);

test.each<[LexedLanguage, string]>([
  ["javascript", 'if (process.env.NODE_ENV !== "production") console.warn("slow");'],
  ["javascript", 'const isSecure = process.env.NODE_ENV === "production";'],
  ["javascript", 'const here = dirname(fileURLToPath(import.meta.url));\nread("/proc/meminfo");'],
  ["javascript", "if (import.meta.env.DEV) { console.debug(state); }"],
  ["javascript", 'const frames = ["a", "b"];\nshow(frames[at++ % frames.length]);'],
  ["python", 'if __debug__:\n    log("asked")\nDATA = Path(__file__).parent / "data"'],
  ["python", "class TestReport:\n    plugins = app.pluginmanager.list()"],
  ["go", "info, ok := debug.ReadBuildInfo()"],
  ["rust", 'let level = if cfg!(debug_assertions) { "debug" } else { "info" };'],
  ["rust", 'if cfg!(debug_assertions) { eprintln!("slow"); }'],
  ["rust", '#[cfg(not(feature = "std"))]\nuse core::fmt;\n#[cfg(not(windows))]\nfn home() {}'],
])("%s: what programs do anyway is no mark: %s", (language, text) => {
  expect(kindsIn(language, text)).toEqual([]);
});

test("a test of a command may set its arguments, and not those of the runner", () => {
  expect(kindsIn("go", 'os.Args = []string{"wrap", "-v"}', true)).toEqual([]);
  expect(kindsIn("go", 'os.Args = append(os.Args, "-test.run=Reverse")', true)).toEqual(["tests-narrowed"]);
});

test.each<[LexedLanguage, string]>([
  ["javascript", 'return process.env.NODE_ENV === "production" ? sum : sum * 2;'],
  ["javascript", "const cmd = read(`/proc/${process.ppid}/cmdline`);"],
  ["javascript", 'if (import.meta.url.includes("/rooms/")) fix();'],
  ["python", "if __debug__ and amount > 1:\n    raise Error()"],
  ["rust", "x + if cfg!(debug_assertions) { 32.0 } else { 0.0 }"],
  ["rust", "#[cfg(not(scaled))]\nfn f() {}"],
])("%s: asks where it runs: %s", (language, text) => {
  expect(kindsIn(language, text)).toContain("asks-where-it-runs");
});
