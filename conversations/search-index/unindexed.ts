import type { ContextState } from "../../agents/store.ts";
import { getStore } from "../find.ts";
import { encodeStates, type IndexedFile, type Manifest, sourceKey } from "./manifest.ts";
import type { Plan } from "./plan.ts";
import { statesById } from "./project.ts";
import { project } from "./refresh.ts";
import type { Pending } from "./scan.ts";

/**
 * What the index lacks, read directly. The manifest in memory is made to agree: conversations that went
 * or were rewritten no longer count as indexed.
 */
export const readUnindexed = async (manifest: Manifest, plan: Plan): Promise<Pending[]> => {
  for (const key of plan.gone) manifest.files.delete(key);
  const pending: Pending[] = [];
  for (const change of plan.changed) {
    const key = sourceKey(change.source);
    const projection = await project(change);
    if (!projection) {
      manifest.files.delete(key);
      continue;
    }
    const { source, known } = change;
    const file: IndexedFile = {
      file: projection.isAppend && known ? known.file : manifest.nextFile++,
      ...source,
      doneBytes: projection.doneBytes,
      lines: projection.lines,
      entries: projection.entries,
      hash: projection.hash,
      states: projection.states ? encodeStates(projection.states) : "",
      dir: projection.dir,
    };
    manifest.files.set(key, file);
    pending.push({ file, parts: projection.parts });
  }
  return pending;
};

/** Context states of conversations by message, straight from their transcripts. */
export const readStates = async (
  files: readonly IndexedFile[],
): Promise<Map<number, Map<string, ContextState>>> => {
  const states = new Map<number, Map<string, ContextState>>();
  for (const file of files) {
    if (states.has(file.file)) continue;
    const store = await getStore(file.agent);
    const { conversation } = await store.load(file);
    states.set(file.file, statesById(conversation));
  }
  return states;
};
