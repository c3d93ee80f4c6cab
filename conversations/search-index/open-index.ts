import { join } from "node:path";
import { AppError, errorText } from "../../core/errors.ts";
import type { ConversationPorts } from "../ports.ts";
import {
  emptyManifest,
  indexFolder,
  type IndexedConversation,
  isPurgeMarked,
  type Manifest,
  readManifest,
} from "./manifest.ts";
import { isUpToDate, planRefresh } from "./plan.ts";
import type { Progress } from "./refresh.ts";
import { bytesInMemory, bytesOfFile, lazySegment, type Segment } from "./segment.ts";

/** The index, as new as the question, ready to be asked. */
export type OpenIndex = {
  conversations: ReadonlyMap<number, IndexedConversation>;
  /** newest first */
  segments: readonly Segment[];
  /** conversations that were read for this question alone, because the index on disk lacks them */
  scanned: number;
  /** what could not be read, in words */
  problems: readonly string[];
  /** why the index on disk cannot be brought up to date, in words */
  noIndex?: string;
};

type Found = Pick<OpenIndex, "scanned" | "problems"> & { inMemory?: readonly Segment[]; noIndex?: string };

const opened = (folder: string, manifest: Manifest, { inMemory = [], ...found }: Found): OpenIndex => {
  const onDisk = manifest.segments.map(({ name, newestSeconds }) =>
    lazySegment(newestSeconds, () => bytesOfFile(join(folder, name))),
  );
  return {
    conversations: new Map([...manifest.conversations.values()].map((each) => [each.file, each])),
    segments: [...onDisk, ...inMemory].toSorted((a, b) => b.newestSeconds - a.newestSeconds),
    ...found,
  };
};

type Asked = { ports: ConversationPorts; progress: Progress };

/** What a manifest lacks is read into memory: another process is writing the index, or it cannot be written. */
const readBeside = async (
  manifest: Manifest,
  { ports, progress, noIndex }: Asked & { noIndex?: string },
): Promise<OpenIndex> => {
  const { refresh } = await import("./refresh.ts");
  const plan = await planRefresh(manifest, ports);
  const inMemory: Segment[] = [];
  await refresh(manifest, plan, {
    keep: ({ bytes, newestSeconds }) => inMemory.push(lazySegment(newestSeconds, () => bytesInMemory(bytes))),
    progress,
  });
  return opened(indexFolder(ports), manifest, {
    inMemory,
    scanned: plan.changed.length,
    problems: plan.problems,
    ...(noIndex === undefined ? {} : { noIndex }),
  });
};

/** Every conversation read into memory: what is left when the index on disk is lost again and again. */
export const readAll = (asked: Asked): Promise<OpenIndex> => readBeside(emptyManifest(), asked);

const cannotWrite = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "storage-full" || error.code === "unavailable");

/** Opens the index; first it is brought up to date, or, where that cannot be done, read around. */
export const openIndex = async (asked: Asked): Promise<OpenIndex> => {
  const { ports } = asked;
  const folder = indexFolder(ports);
  const manifest = readManifest(folder);
  const plan = await planRefresh(manifest, ports);
  // The manifest of an index that was never written says as little as an empty machine: it is written once.
  if (manifest.nextFile > 1 && isUpToDate(plan, manifest) && !isPurgeMarked(folder))
    return opened(folder, manifest, { scanned: 0, problems: plan.problems });
  const { updateIndex } = await import("./update.ts");
  try {
    const updated = await updateIndex(folder, asked);
    if (!updated) return await readBeside(readManifest(folder), asked);
    return opened(folder, updated.manifest, { scanned: 0, problems: updated.problems });
  } catch (error) {
    if (!cannotWrite(error)) throw error;
    return readBeside(readManifest(folder), { ...asked, noIndex: errorText(error) });
  }
};
