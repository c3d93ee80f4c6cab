/** What a finished command gave. */
export type CommandResult = {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** it exited with 0 */
  readonly ok: boolean;
  text(): string;
  json<T = unknown>(): T;
  lines(): string[];
  toString(): string;
};

/** A running command. It rejects when the command exits with another code than 0. */
export type RunningCommand = Promise<CommandResult> & {
  /** resolves whatever the exit code is */
  nothrow(): RunningCommand;
  /** shows nothing of what it prints */
  quiet(): RunningCommand;
  /** ends it after a while: milliseconds, or "5s" */
  timeout(duration: number | `${number}s` | `${number}ms` | `${number}m`): RunningCommand;
  /** what it prints goes into another command, or a file */
  pipe(target: RunningCommand | string): RunningCommand;
  text(): Promise<string>;
  json<T = unknown>(): Promise<T>;
  lines(): Promise<string[]>;
  readonly exitCode: Promise<number | null>;
};

/**
 * zx's shell as tasks use it (https://google.github.io/zx/). Its own types need those of Node and of fs-extra,
 * which a project that only wants its config checked need not have.
 */
export type TaskShell = {
  (pieces: TemplateStringsArray, ...values: unknown[]): RunningCommand;
  /** the same shell in another folder, with another environment, input or quietness */
  (options: {
    cwd?: string;
    env?: Record<string, string | undefined>;
    input?: string;
    nothrow?: boolean;
    quiet?: boolean;
  }): TaskShell;
};
