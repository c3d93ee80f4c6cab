import type { ContextState, Source } from "../../agents/store.ts";
import { getStore } from "../find.ts";
import type { FileHead } from "./file-head.ts";
import { type Manifest, sourceKey } from "./manifest.ts";
import type { Plan } from "./plan.ts";
import { statesById } from "./project.ts";
import { enter, project } from "./refresh.ts";
import type { Pending } from "./scan.ts";

/**
 * What the index lacks, read directly. The manifest in memory is made to agree: conversations that went
 * or were rewritten no longer count as indexed.
 */
export const readUnindexed = async (folder: string, manifest: Manifest, plan: Plan): Promise<Pending[]> => {
  for (const key of plan.gone) manifest.files.delete(key);
  const pending: Pending[] = [];
  for (const change of plan.changed) {
    const projection = await project({ folder, manifest, problems: plan.problems }, change);
    if (projection) pending.push({ file: enter(manifest, change, projection), parts: projection.parts });
    else manifest.files.delete(sourceKey(change.source));
  }
  return pending;
};

/** Context states of conversations by message, straight from their transcripts. */
export const readStates = async (
  files: readonly FileHead[],
): Promise<Map<number, Map<string, ContextState>>> => {
  const states = new Map<number, Map<string, ContextState>>();
  for (const file of files) {
    if (states.has(file.file)) continue;
    const store = await getStore(file.agent);
    const source: Source = file;
    const { conversation } = await store.load(source);
    states.set(file.file, statesById(conversation));
  }
  return states;
};
