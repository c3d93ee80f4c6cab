import { watchClosed } from "../../agents/files.ts";
import { AGENTS, type Agent } from "../../agents/index.ts";
import type { DatabaseFile, Source } from "../../agents/store.ts";
import { AppError } from "../../core/errors.ts";
import type { ConversationPorts } from "../ports.ts";
import { type IndexedConversation, type Manifest, sourceKey } from "./manifest.ts";

export type Change = { source: Source; known: IndexedConversation | undefined };

/** How the conversations on disk differ from the index. */
export type Plan = {
  changed: Change[];
  /** keys of conversations that are gone */
  gone: string[];
  databases: Record<string, string>;
  /** databases and folders that could not be read, in words; what was known of databases stays */
  problems: string[];
};

/** A database whose stamp is the known one has the conversations it had. */
const listDatabase = async (
  { agent, path, stamp }: DatabaseFile,
  { databases, conversations }: Manifest,
): Promise<{ rows: Source[]; kept: string[] }> => {
  if (databases[path] === stamp) {
    const ofPath = [...conversations].filter(
      ([, { format, path: own }]) => format === "rows" && own === path,
    );
    return { rows: [], kept: ofPath.map(([key]) => key) };
  }
  const store = await (AGENTS as Record<string, Agent>)[agent]?.store?.();
  return { rows: (await store?.listRows?.(path)) ?? [], kept: [] };
};

/** Compares every conversation on disk with the index, without opening one. */
export const planRefresh = async (manifest: Manifest, ports: ConversationPorts): Promise<Plan> => {
  const plan: Plan = { changed: [], gone: [], databases: {}, problems: [] };
  const seen = new Set<string>();
  const visit = (source: Source): void => {
    const key = sourceKey(source);
    if (seen.has(key)) return;
    seen.add(key);
    const known = manifest.conversations.get(key);
    if (known?.stamp !== source.stamp) plan.changed.push({ source, known });
  };
  for (const agent of Object.values<Agent>(AGENTS)) {
    const lister = await agent.sources?.();
    const { value, closed } = watchClosed(() => ({
      files: lister?.files?.(ports) ?? [],
      databases: lister?.databases?.(ports) ?? [],
    }));
    for (const folder of closed) plan.problems.push(`${folder} cannot be read: permission denied`);
    for (const source of value.files) visit(source);
    for (const database of value.databases)
      try {
        const { rows, kept } = await listDatabase(database, manifest);
        for (const key of kept) seen.add(key);
        for (const source of rows) visit(source);
        plan.databases[database.path] = database.stamp;
      } catch (error) {
        // Tried again next time; until then what is known of it counts.
        if (!(error instanceof AppError)) throw error;
        plan.problems.push(error.message);
        for (const [key, { path }] of manifest.conversations) if (path === database.path) seen.add(key);
      }
  }
  for (const key of manifest.conversations.keys()) if (!seen.has(key)) plan.gone.push(key);
  return plan;
};

/** Whether the index says what is on disk. */
export const isUpToDate = ({ changed, gone, databases }: Plan, manifest: Manifest): boolean =>
  changed.length === 0 &&
  gone.length === 0 &&
  Object.entries(databases).every(([path, stamp]) => manifest.databases[path] === stamp);
