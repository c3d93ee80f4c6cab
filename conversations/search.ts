import { AppError, errorText, systemCode } from "../core/errors.ts";
import type { ConversationPorts } from "./ports.ts";
import {
  indexFolder,
  isLost,
  type PassageHit,
  runQuery,
  type SearchAnswer,
  searchAsItIs,
  type SearchOptions,
} from "./search-as-it-is.ts";
import { makeReady, readAll } from "./search-index/ready.ts";
import type { Progress } from "./search-index/refresh.ts";
import { DamagedSegment } from "./search-index/segment-reader.ts";
import { dropIndex } from "./search-index/update.ts";

const TRIES = 4;

const NO_WRITING = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EFBIG"]);

/** Whether the place of the index cannot be written: a full disk, a home that is read-only. */
const cannotWrite = (error: unknown): boolean =>
  error instanceof AppError
    ? error.code === "storage-full" || error.code === "unavailable"
    : NO_WRITING.has(systemCode(error) ?? "");

const searchWithoutIndex = async (
  options: SearchOptions,
  { ports, noIndex }: { ports: ConversationPorts; noIndex: string },
): Promise<SearchAnswer<PassageHit>> => ({
  ...(await runQuery(await readAll(indexFolder(ports), ports), options)),
  noIndex,
});

/**
 * Finds conversations that mention a pattern: words as they stand (upper and lower case are the same), or
 * `/regex/flags`. Every answer is of what is on disk now: the index is brought up to date first, and what
 * it lacks is read directly.
 */
export const searchConversations = async (
  options: SearchOptions,
  ports: ConversationPorts,
  progress: Progress = () => {},
): Promise<SearchAnswer<PassageHit>> => {
  const answer = await searchAsItIs(options, ports);
  if (answer) return answer;
  const folder = indexFolder(ports);
  for (let tries = 1; ; tries += 1) {
    try {
      return await runQuery(await makeReady(folder, { ports, progress }), options);
    } catch (error) {
      if (cannotWrite(error)) return searchWithoutIndex(options, { ports, noIndex: errorText(error) });
      // A segment merged away under us is in the next manifest; a damaged one is built anew.
      if (!isLost(error)) throw error;
      if (error instanceof DamagedSegment || tries > 1) dropIndex(folder);
      if (tries >= TRIES) return runQuery(await readAll(folder, ports), options);
    }
  }
};
