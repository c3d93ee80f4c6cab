import { EXIT } from "../../core/exit-codes.ts";
import type { Program } from "./define-command.ts";
import { endOfOutput, outputStream } from "./output-stream.ts";
import { createReporter } from "./reporter.ts";
import { runProgram } from "./run-program.ts";

const INSIST_GRACE_MS = 10_000;

/**
 * The edge of every program: the only place that reads `process` and exits. The first Ctrl-C or SIGTERM
 * aborts `io.signal` so that the command can clean up, the second `io.insistSignal`; a command that does not
 * heed that, or a third signal, is ended.
 */
export const main = async (program: Program): Promise<void> => {
  const first = new AbortController();
  const second = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(name, () => {
      if (second.signal.aborted) process.exit(EXIT.interrupted);
      if (first.signal.aborted) {
        second.abort();
        setTimeout(() => process.exit(EXIT.interrupted), INSIST_GRACE_MS).unref();
      } else first.abort();
    });
  let lost: ReturnType<typeof endOfOutput> | undefined;
  const stdout = outputStream("stdout", (error) => {
    lost = endOfOutput("output", error);
    // Nobody reads on: what runs is cleaned up as after Ctrl-C, and like it between two steps, never in one.
    setImmediate(() => first.abort());
  });
  const stderr = outputStream("stderr", () => {});
  const argv = process.argv.slice(2);
  if (argv[0] === "--complete") {
    const { completeWords } = await import("./completion.ts");
    for (const candidate of await completeWords(program, argv.slice(1), {
      env: process.env,
      cwd: process.cwd(),
      note: (line) => stderr.write(`${line}\n`),
    }))
      console.log(candidate);
    return;
  }
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
    const { readVersion } = await import("../../core/version.ts");
    console.log(readVersion());
    return;
  }
  const exitCode = await runProgram(program, argv, {
    env: process.env,
    cwd: process.cwd(),
    get stdin() {
      return process.stdin; // built only where it is read: see outputStream
    },
    signal: first.signal,
    insistSignal: second.signal,
    createReporter: (isJson) => createReporter({ isJson, env: process.env, stdout, stderr }),
  });
  // Set by what a stream reports after the last write, too.
  process.on("exit", () => {
    if (lost?.message !== undefined) stderr.write(`error: ${lost.message}\n`);
    process.exitCode = lost?.exitCode ?? exitCode;
  });
};
