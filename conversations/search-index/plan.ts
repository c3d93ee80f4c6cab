import { AGENTS, type Agent } from "../../agents/index.ts";
import type { DatabaseFile, Source } from "../../agents/store.ts";
import type { ConversationPorts } from "../ports.ts";
import { type FileHead, type Manifest, sourceKey } from "./manifest.ts";

export type Change = { source: Source; known: FileHead | undefined };

/** How the conversations on disk differ from the index. */
export type Plan = {
  changed: Change[];
  /** keys of conversations that are gone */
  gone: string[];
  databases: Record<string, string>;
  total: number;
};

type Listing = { files: Source[]; databases: DatabaseFile[] };

const listAgent = async (agent: Agent, ports: ConversationPorts): Promise<Listing> => {
  const lister = await agent.sources?.();
  return { files: lister?.files?.(ports) ?? [], databases: lister?.databases?.(ports) ?? [] };
};

/** A database whose stamp is the known one has the conversations it had. */
const listDatabase = async (
  { agent, path, stamp }: DatabaseFile,
  { manifest, agents }: { manifest: Manifest; agents: ReadonlyMap<string, Agent> },
): Promise<Source[] | "unchanged"> => {
  if (manifest.databases[path] === stamp) return "unchanged";
  const store = await agents.get(agent)?.store?.();
  return (await store?.listRows?.(path)) ?? [];
};

/** Compares every conversation on disk with the index, by size and date alone. */
export const planRefresh = async (manifest: Manifest, ports: ConversationPorts): Promise<Plan> => {
  const agents = new Map<string, Agent>(Object.entries(AGENTS));
  const listings = await Promise.all([...agents.values()].map((agent) => listAgent(agent, ports)));
  const plan: Plan = { changed: [], gone: [], databases: {}, total: 0 };
  const seen = new Set<string>();
  const visit = (source: Source) => {
    const key = sourceKey(source);
    if (seen.has(key)) return;
    seen.add(key);
    const known = manifest.files.get(key);
    if (known?.sizeBytes !== source.sizeBytes || known.mtimeMs !== source.mtimeMs)
      plan.changed.push({ source, known });
  };
  for (const { files } of listings) for (const source of files) visit(source);
  for (const database of listings.flatMap((listing) => listing.databases)) {
    const rows = await listDatabase(database, { manifest, agents });
    plan.databases[database.path] = database.stamp;
    if (rows !== "unchanged") for (const source of rows) visit(source);
    else
      for (const [key, file] of manifest.files)
        if (file.format === "rows" && file.path === database.path) seen.add(key);
  }
  for (const key of manifest.files.keys()) if (!seen.has(key)) plan.gone.push(key);
  plan.total = seen.size;
  return plan;
};

export const isUpToDate = ({ changed, gone }: Plan): boolean => changed.length === 0 && gone.length === 0;
