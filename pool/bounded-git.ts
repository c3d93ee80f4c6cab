import { type Git, type GitCall, type GitEnvironment, createGit } from "../core/git.ts";

/** Of git's transports only those that fetch; its other helpers start what an address names. */
const ALLOWED_PROTOCOLS = "file:git:http:https:ssh";

export type GitPorts = { env: GitEnvironment };

/** git in a folder, ended when `signal` aborts with all that it started: an ssh that never answers holds up nobody. */
export const createBoundedGit = ({ env }: { env: GitEnvironment }, dir: string, signal: AbortSignal): Git => {
  const git = createGit(dir, env, { signal });
  const withProtocols = (call: GitCall = {}): GitCall => ({
    ...call,
    env: { ...call.env, GIT_ALLOW_PROTOCOL: ALLOWED_PROTOCOLS },
  });
  return {
    run: (args, call) => git.run(args, withProtocols(call)),
    find: (args, call) => git.find(args, withProtocols(call)),
  };
};
