import { AppError } from "../../../core/errors.ts";
import { hasSecret } from "../../../core/redaction.ts";

/** What git fetches over. Its other helpers start programs that the address names (`ext::`, `fd::`). */
const TRANSPORT = /^(?:https?|ssh|git|file):\/\/[^/\s]*\/?\S/i;
/** `git@host:path`, as for ssh; two colons are a helper of git. */
const HOST_AND_PATH = /^[^\s:/-][^\s:/]*:(?!:)\S/;
const NAMED_TRANSPORT = /^[a-z][a-z0-9+.-]*(?:::|:\/\/)/i;

/** @throws AppError `usage` for what git on another machine could not clone, or should not be told */
export const checkRepo = (repo: string): string => {
  if (hasSecret(repo))
    throw new AppError(
      "usage",
      "the address of the repository holds a password; give it to git's credential helper on the machines of the pools",
    );
  const named = NAMED_TRANSPORT.exec(repo)?.[0];
  if (named !== undefined && !TRANSPORT.test(repo))
    throw new AppError(
      "usage",
      `pools do not clone over "${named}" (${repo}); use https://, ssh://, git://, file:///path, git@host:path or /path`,
    );
  if (!TRANSPORT.test(repo) && !HOST_AND_PATH.test(repo) && !repo.startsWith("/"))
    throw new AppError(
      "usage",
      `"${repo}" is not an address that every pool can clone; use https://, ssh://, git://, file:///path, git@host:path or /path`,
    );
  return repo;
};
