import { AGENTS, type Agent } from "../../agents/index.ts";
import { recordLooks } from "../../agents/files.ts";
import type { DatabaseFile, Source } from "../../agents/store.ts";
import { AppError } from "../../core/errors.ts";
import type { Look } from "../../core/looks.ts";
import type { ConversationPorts } from "../ports.ts";
import type { FileHead } from "./file-head.ts";
import { type Manifest, sourceKey, type StoredManifest } from "./manifest.ts";
import type { Seen } from "./write-footprint.ts";

export type Change = { source: Source; known: FileHead | undefined };

/** How the conversations on disk differ from the index. */
export type Plan = {
  changed: Change[];
  /** keys of conversations that are gone */
  gone: string[];
  databases: Record<string, string>;
  /** databases and folders that could not be read, in words; what was known of databases stays */
  problems: string[];
  /** keys of all conversations on disk, in the order in which they are listed */
  keys: string[];
  /** what the listing looked at */
  seen: Seen;
};

type Listing = { files: Source[]; databases: DatabaseFile[]; closed: ReadonlySet<string> };

const listAgent = async (agent: Agent, ports: ConversationPorts, looks: Look[]): Promise<Listing> => {
  const lister = await agent.sources?.();
  const listed = recordLooks(() => ({
    files: lister?.files?.(ports) ?? [],
    databases: lister?.databases?.(ports) ?? [],
  }));
  for (const look of listed.looks) looks.push(look);
  return { ...listed.value, closed: listed.closed };
};

/** An environment that notes which of its variables are read. */
const noteReads = (env: ConversationPorts["env"], read: Record<string, string | null>) =>
  new Proxy(env, {
    get: (target, name) => {
      if (typeof name !== "string") return undefined;
      read[name] = target[name] ?? null;
      return target[name];
    },
  });

const listAll = async (ports: ConversationPorts): Promise<{ listings: Listing[]; seen: Seen }> => {
  // The file system's clock is asked about its own dates.
  const seen = { looks: [] as Look[], env: {} as Seen["env"], home: ports.home, atMs: Date.now() };
  const noting = { ...ports, env: noteReads(ports.env, seen.env) };
  const listings: Listing[] = [];
  for (const agent of Object.values<Agent>(AGENTS)) listings.push(await listAgent(agent, noting, seen.looks));
  return { listings, seen };
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

/** Row of a path in the stored columns; listings mostly come in the same order, so the next row is tried first. */
const rowFinder = ({ paths }: StoredManifest) => {
  let rows: Map<string, number> | undefined;
  return (path: string, expected: number): number => {
    if (paths[expected] === path) return expected;
    rows ??= new Map(paths.map((each, row) => [each, row]));
    return rows.get(path) ?? -1;
  };
};

/**
 * Whether nothing has changed since the index was written, told from the columns alone.
 * @returns what was looked at; undefined when something has changed
 */
export const findUnchanged = async (
  stored: StoredManifest,
  ports: ConversationPorts,
): Promise<Seen | undefined> => {
  const { listings, seen } = await listAll(ports);
  // A folder that is closed to us is told with every answer.
  if (listings.some(({ closed }) => closed.size > 0)) return undefined;
  return agrees(stored, listings) ? seen : undefined;
};

const agrees = (stored: StoredManifest, listings: readonly Listing[]): boolean => {
  const { paths, sizes, dates, formats } = stored;
  const rowOf = rowFinder(stored);
  let files = 0;
  for (const listing of listings)
    for (const { path, sizeBytes, mtimeMs } of listing.files) {
      const row = rowOf(path, files);
      if (sizes[row] !== sizeBytes || dates[row] !== mtimeMs) return false;
      files += 1;
    }
  const databases = listings.flatMap((listing) => listing.databases);
  if (databases.some(({ path, stamp }) => stored.databases[path] !== stamp)) return false;
  if (files === paths.length) return true;
  const known = new Set(databases.map(({ path }) => path));
  const rows = formats.filter((format, row) => format === "rows" && known.has(paths[row] ?? ""));
  return files + rows.length === paths.length;
};

/** Compares every conversation on disk with the index, by size and date alone. */
export const planRefresh = async (manifest: Manifest, ports: ConversationPorts): Promise<Plan> => {
  const agents = new Map<string, Agent>(Object.entries(AGENTS));
  const { listings, seen: footprint } = await listAll(ports);
  const plan: Plan = { changed: [], gone: [], databases: {}, problems: [], keys: [], seen: footprint };
  for (const folder of listings.flatMap(({ closed }) => [...closed]))
    plan.problems.push(`${folder} is closed to us (permission denied)`);
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
    const rows = await listDatabase(database, { manifest, agents }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      plan.problems.push(error.message);
      return "unreadable" as const;
    });
    // One that could not be read is tried again next time.
    if (rows !== "unreadable") plan.databases[database.path] = database.stamp;
    if (typeof rows !== "string") for (const source of rows) visit(source);
    else
      for (const [key, file] of manifest.files)
        if (file.format === "rows" && file.path === database.path) seen.add(key);
  }
  for (const key of manifest.files.keys()) if (!seen.has(key)) plan.gone.push(key);
  plan.keys = [...seen];
  return plan;
};
