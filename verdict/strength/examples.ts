import type { StrengthFinding } from "./kinds.ts";
import type { ChangedSource } from "./pair-tests.ts";
import type { Example } from "./source-model.ts";

const RUNS = /^(?:rust|edition\d+|should_panic|,|\s)*$/;

/** The examples in the documentation of Rust that have something to check. */
export const readRustExamples = (text: string): Example[] => {
  const examples: Example[] = [];
  let open: { line: number; isRun: boolean; body: string[] } | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const said = /^\s*\/\/[/!] ?(.*)$/.exec(line)?.[1];
    const fence = said === undefined ? undefined : /^```(.*)$/.exec(said)?.[1];
    if (said === undefined) open = undefined;
    else if (fence === undefined) open?.body.push(said.trim());
    else if (!open) open = { line: at + 1, isRun: RUNS.test(fence), body: [] };
    else {
      const body = open.body.join("\n");
      if (/\bassert|\(.*\)/.test(body)) examples.push({ line: open.line, isRun: open.isRun, text: body });
      open = undefined;
    }
  }
  return examples;
};

const SKIP = /\s*#\s*doctest:.*\+SKIP.*$/;

/** The examples in docstrings of Python: each `>>>` with the lines up to the next one. */
export const readPythonExamples = (text: string): Example[] => {
  const examples: Example[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const asked = /^\s*>>> (.*)$/.exec(line)?.[1];
    if (asked !== undefined)
      examples.push({ line: at + 1, isRun: !SKIP.test(asked), text: asked.replace(SKIP, "").trim() });
  }
  return examples;
};

/** Examples that were run with the documentation's tests, stand there still, and are not run any more. */
export const compareExamples = (changed: readonly ChangedSource[]): StrengthFinding[] =>
  changed.flatMap(({ file, base, head }) =>
    (base?.examples ?? []).flatMap(({ text, isRun }): StrengthFinding[] => {
      const same = head?.examples?.filter((each) => each.text === text) ?? [];
      const off = same.find((each) => !each.isRun);
      if (!isRun || !off || same.some((each) => each.isRun)) return [];
      const message = `the example ${text.split("\n")[0]?.slice(0, 60)} in the documentation is no longer run`;
      return [{ kind: "test-skipped", file, line: off.line, language: head?.language ?? "", message }];
    }),
  );
