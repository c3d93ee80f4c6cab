import { randomUUID } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { type Git, type GitEnvironment, createGit } from "../../core/git.ts";
import { MARKER, endMarked, nestMark } from "../../core/process-tree.ts";

const LOCAL_MS = 300_000;
const NETWORK_MS = 900_000;
const NETWORK = new Set(["fetch", "push", "ls-remote"]);
/** Of git's transports only those that fetch; its other helpers start what an address names. */
const ALLOWED_PROTOCOLS = "file:git:http:https:ssh";

export type GitPorts = { clock: Clock; env: GitEnvironment };

/**
 * git in a folder, each call with a deadline and ended when `signal` aborts, with all that it started: an ssh
 * that never answers holds up nobody.
 */
export const createBoundedGit = ({ clock, env }: GitPorts, dir: string, signal: AbortSignal): Git => {
  const git = createGit(dir, env);
  const run: Git["run"] = async (args, options = {}) => {
    const name = `git ${args[0] ?? ""}`;
    if (signal.aborted) throw new AppError("interrupted", `stopped before ${name} in ${dir}`);
    const mark = randomUUID();
    const limitMs = NETWORK.has(args[0] ?? "") ? NETWORK_MS : LOCAL_MS;
    const done = new AbortController();
    const asked = git.run(args, {
      ...options,
      env: { ...options.env, GIT_ALLOW_PROTOCOL: ALLOWED_PROTOCOLS, [MARKER]: nestMark(env, mark) },
    });
    const cut = clock.sleep(limitMs, AbortSignal.any([signal, done.signal])).then(async () => {
      if (done.signal.aborted) return asked;
      asked.catch(() => {});
      await endMarked(mark, { clock, graceMs: 500 });
      throw signal.aborted
        ? new AppError("interrupted", `${name} in ${dir} was stopped`)
        : new AppError("timeout", `${name} in ${dir} did not end within ${limitMs / 60_000} minutes`);
    });
    try {
      return await Promise.race([asked, cut]);
    } finally {
      done.abort();
    }
  };
  return { run, find: (args) => run(args).catch(() => undefined) };
};
