import { AppError, errorText } from "../../core/errors.ts";
import { leftProcesses } from "../session/prepare-session.ts";
import type { WorkerLog } from "../state/worker-log.ts";

/** What a supervisor knows of the locks that are held for it. */
export type LocksPort = {
  /** rejects, naming the holder, when somebody else has one of our locks */
  prove: () => Promise<void>;
  /** aborted when somebody else has one of our locks while a session runs; its reason says who */
  lost: AbortSignal;
  /** whether the state is still ours to write */
  isOwner: () => boolean;
  /** processes of dead owners that were ended before we began */
  reaped: readonly number[];
};

const lostWords = (why: string): string => `lost its lock: ${why}`;

/** Why the session that runs has to end: somebody else has the directory by now. */
export const tellLostLock = ({ lost }: LocksPort): string | undefined =>
  lost.aborted ? lostWords(String(lost.reason)) : undefined;

/** Why no other session may begin: somebody else has the directory by now. */
export const findLostLock = async (locks: LocksPort, log: WorkerLog): Promise<string | undefined> => {
  try {
    await locks.prove();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === "locked") return lostWords(error.message);
    log.line(`its locks could not be checked: ${errorText(error)}`); // a full disk is no new holder
    return undefined;
  }
};

export const tellReaped = ({ reaped }: LocksPort, log: WorkerLog): void => {
  if (reaped.length > 0) log.line(`ended ${leftProcesses(reaped.length)}: ${reaped.join(" ")}`);
};
