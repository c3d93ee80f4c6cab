import { AppError } from "../../core/errors.ts";
import type { Git } from "../../core/git.ts";
import { isPassing } from "../../core/passing-failure.ts";

/**
 * Puts paths into the index that `env` names as they are in the work tree, deleted ones out of it. Names
 * are taken literally. Git takes all or nothing, so what fails is narrowed down to the paths that are to
 * blame; they are returned with git's reason.
 */
export const addPaths = async (
  git: Git,
  paths: readonly string[],
  env: Record<string, string>,
): Promise<{ path: string; reason: string }[]> => {
  try {
    await git.run(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], {
      env,
      input: paths.map((path) => `${path.replace(/\/$/, "")}\0`).join(""),
    });
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "interrupted") throw error;
    if (LACK.test(error.message) || isPassing(error.cause)) throw error;
    if (error.code === "timeout") return paths.map((path) => ({ path, reason: "git took too long over it" }));
    const [only] = paths;
    if (paths.length === 1 && only !== undefined) return [{ path: only, reason: reasonOf(error) }];
    const half = Math.ceil(paths.length / 2);
    return [
      ...(await addPaths(git, paths.slice(0, half), env)),
      ...(await addPaths(git, paths.slice(half), env)),
    ];
  }
};

/** What is short on this machine is no fault of a path. */
const LACK =
  /no space left|quota exceeded|too many open files|cannot allocate memory|temporarily unavailable/i;

const reasonOf = ({ message }: AppError): string =>
  message
    .slice(message.indexOf(": ") + 2)
    .split("\n")[0]
    ?.replace(/^(?:error|fatal): /, "") ?? message;
