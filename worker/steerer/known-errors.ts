import type { SessionRecord } from "../state/worker-state.ts";
import type { ListedWorker } from "../state/worker-store.ts";
import type { FoundError } from "./find-errors.ts";
import type { KnownError } from "./ledger.ts";

export type ErrorGroups = Record<string, KnownError>;

/** Most groups kept of a project; the ones that were not seen for longest go. */
const KEPT_GROUPS = 500;

const conversationOf = (worker: ListedWorker, session: number): { conversationId?: string } => {
  const id = worker.sessions.find(({ number }) => number === session)?.conversationId;
  return id === undefined ? {} : { conversationId: `${worker.agent}:${id}` };
};

/** Adds what was found to the groups; returns the groups that are new. */
export const groupErrors = (
  groups: ErrorGroups,
  worker: ListedWorker,
  found: readonly FoundError[],
): KnownError[] => {
  const fresh: KnownError[] = [];
  for (const { at, session, fingerprint, message } of found) {
    const known = groups[fingerprint];
    if (known) {
      known.count++;
      known.lastAt = at;
      // It came back: whatever was taken for its cure was none.
      if (known.worker === worker.name && !known.isCureStored) {
        known.session = session;
        delete known.cure;
      }
      continue;
    }
    const error: KnownError = {
      fingerprint,
      message,
      count: 1,
      firstAt: at,
      lastAt: at,
      worker: worker.name,
      task: worker.task.trim().split("\n")[0]?.slice(0, 200) ?? "",
      session,
      ...conversationOf(worker, session),
    };
    groups[fingerprint] = error;
    fresh.push(error);
  }
  forgetOldest(groups);
  return fresh;
};

const forgetOldest = (groups: ErrorGroups): void => {
  const all = Object.values(groups).toSorted((a, b) => b.lastAt.localeCompare(a.lastAt));
  for (const { fingerprint } of all.slice(KEPT_GROUPS)) delete groups[fingerprint];
};

const isHealthyAfter = (session: SessionRecord, next: SessionRecord | undefined): boolean =>
  session.gateAfter?.verdict === "healthy" || next?.gateBefore?.verdict === "healthy";

/**
 * The session that cured an error: the first one that ended well with healthy gates after the last time it
 * was seen. Gates report before a session, so that session itself may be the one.
 */
export const findCure = (error: KnownError, worker: ListedWorker): KnownError["cure"] => {
  if (worker.name !== error.worker) return undefined;
  const first = error.message.startsWith("gates blocked") ? error.session : error.session + 1;
  const { sessions } = worker;
  const index = sessions.findIndex(
    (session, at) =>
      session.number >= first &&
      session.endReason !== "error" &&
      session.endedAt !== undefined &&
      isHealthyAfter(session, sessions[at + 1]),
  );
  const session = sessions[index];
  if (!session) return undefined;
  const what =
    session.commits.length > 0
      ? `its commits: ${session.commits.slice(0, 10).join("; ")}`
      : "it made no commit: the cause lay outside of the code";
  return { worker: worker.name, session: session.number, ...conversationOf(worker, session.number), what };
};
