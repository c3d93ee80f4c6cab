import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { endChild, spawnMarked } from "./child-process.ts";
import type { ErrorCode } from "./error-codes.ts";
import { AppError, errorText, systemCode } from "./errors.ts";
import { type GitKind, type GitLimits, kindOf, withProgress, withoutProgress } from "./git-limits.ts";

const MAX_OUTPUT = 256 * 1024 * 1024;
const END_GRACE_MS = 2_000;

export type Call = { dir: string; args: readonly string[]; env: Record<string, string>; input: string };
export type Bounds = { limits: GitLimits; signals: readonly AbortSignal[]; timeoutMs: number | undefined };

/** What git says when somebody kills one of the programs that it has started. */
const HELPER_KILLED = /\bdied of signal \d+/;

/** Somebody killed git (a person, a lack of memory): that is no answer of git's, and the next try may get one. */
class KilledError extends Error {
  readonly code = "EINTR";

  constructor(signal: NodeJS.Signals | null) {
    super(`killed${signal === null ? "" : ` by ${signal}`}`);
  }
}

/** A command that only reads is asked again when somebody kills it, so often. */
const READ_TRIES = 4;

/**
 * Runs git, and answers with its stdout. Ended with its whole tree when it takes too long or a signal says so.
 * @throws AppError `unavailable` with git's own words, `timeout`, `interrupted`
 */
export const callGit = async (call: Call, bounds: Bounds): Promise<string> => {
  const kind = kindOf(call.args);
  for (let tries = 1; ; tries++) {
    try {
      return await callOnce(call, kind, bounds);
    } catch (error) {
      const wasKilled = error instanceof AppError && error.cause instanceof KilledError;
      if (!wasKilled || !kind.isRead || tries === READ_TRIES) throw error;
    }
  }
};

const callOnce = async ({ dir, args, env, input }: Call, kind: GitKind, bounds: Bounds): Promise<string> => {
  const name = `git ${kind.command}`;
  if (bounds.signals.some(({ aborted }) => aborted))
    throw new AppError("interrupted", `${name} in ${dir} was not started`);
  const mark = randomUUID();
  // In a session of its own: Ctrl-C at a terminal is for us, and must not end a git in the middle of its work.
  const { child, failure } = spawnMarked({
    command: "git",
    args: ["-C", dir, ...(kind.isNetwork ? withProgress(args) : args)],
    env,
    mark,
  });
  const watch = watchCall(bounds, kind);
  let isTooMuch = false;
  const onTooMuch = () => {
    isTooMuch = true;
    child.kill();
  };
  const stdout = collect(child.stdout, { onText: watch.heard, onTooMuch });
  const stderr = collect(child.stderr, { onText: watch.heard, onTooMuch });
  child.stdin?.on("error", () => {}); // EPIPE when git ends early; its exit code tells
  child.stdin?.end(input);
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal })),
  );
  try {
    const end = await Promise.race([
      closed.then((exit) => ({ exit })),
      failure.then((error) => ({ error })),
      watch.cut.then((cut) => ({ cut })),
    ]);
    if ("cut" in end) {
      await endChild(child, mark, { graceMs: END_GRACE_MS });
      throw new AppError(end.cut.code, `${name} in ${dir} ${end.cut.words}`, { details: { dir } });
    }
    if ("error" in end)
      throw new AppError(
        "unavailable",
        systemCode(end.error) === "ENOENT"
          ? "git was not found on PATH; install it"
          : `${name} could not be started in ${dir}: ${errorText(end.error)}`,
        { cause: end.error },
      );
    const { code, signal } = end.exit;
    if (code === 0) return stdout();
    if (isTooMuch)
      throw new AppError("unavailable", `${name} in ${dir} printed more than ${MAX_OUTPUT / 1024 ** 2} MiB`);
    const words = (kind.isNetwork ? withoutProgress(stderr()) : stderr()).trim();
    const wasKilled = signal !== null || HELPER_KILLED.test(words);
    throw new AppError(
      "unavailable",
      `${name} failed in ${dir}: ${words || `ended with ${signal ?? code}`}`,
      wasKilled ? { cause: new KilledError(signal) } : {},
    );
  } finally {
    watch.dispose();
  }
};

type Cut = { code: ErrorCode; words: string };

/** Tells when a call has to be cut: asked to, too slow as a whole, or silent for too long over the network. */
const watchCall = ({ limits, signals, timeoutMs }: Bounds, { isNetwork, isWork }: GitKind) => {
  let cutOff: (cut: Cut) => void = () => {};
  const cut = new Promise<Cut>((resolve) => (cutOff = resolve));
  const late = (ms: number, what: string) => () =>
    cutOff({ code: "timeout", words: `${what} within ${ms / 1000} s, and was ended` });
  const wholeMs = timeoutMs ?? (isNetwork ? limits.networkMs : isWork ? limits.workMs : limits.readMs);
  const whole = setTimeout(late(wholeMs, "did not finish"), wholeMs);
  const silent = isNetwork
    ? setTimeout(late(limits.silentMs, "got no answer from the other side"), limits.silentMs)
    : undefined;
  const onAbort = () => cutOff({ code: "interrupted", words: "was interrupted" });
  for (const signal of signals) signal.addEventListener("abort", onAbort, { once: true });
  return {
    cut,
    heard: () => void silent?.refresh(),
    dispose: () => {
      clearTimeout(whole);
      clearTimeout(silent);
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    },
  };
};

const collect = (
  stream: Readable | null,
  { onText, onTooMuch }: { onText: () => void; onTooMuch: () => void },
): (() => string) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on("data", (chunk: Buffer) => {
    onText();
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT) onTooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
};
