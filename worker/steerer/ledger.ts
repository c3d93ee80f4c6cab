import { parseJson } from "../../core/parse-json.ts";
import { join } from "node:path";
import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { workerFiles } from "../state/worker-files.ts";
import { dirKey, steerFolder } from "./claim-dirs.ts";

/** What the steerer remembers of one worker; it lies in the worker's folder and survives the steerer. */
export type CareRecord = {
  version: 1;
  /** times of the restarts within the last hour */
  restarts: string[];
  /** the death after which it gave up on the worker, or left it alone, and why */
  settled?: { death: string; reason: string };
  /** the end after which leftovers were looked for */
  tidied?: string;
  /** how far the events were read */
  read: { inode: number; offset: number };
};

/** One kind of error in one project. */
export type KnownError = {
  fingerprint: string;
  /** the first one of its kind, in its own words */
  message: string;
  count: number;
  firstAt: string;
  lastAt: string;
  worker: string;
  task: string;
  session: number;
  conversationId?: string;
  /** id of the failure in the memory service */
  failureId?: string;
  isStored?: boolean;
  cure?: { worker: string; session: number; conversationId?: string; what: string };
  isCureStored?: boolean;
};

/** What the steerer remembers of one watched directory. */
export type DirRecord = {
  version: 1;
  /** by project, then fingerprint */
  errors: Record<string, Record<string, KnownError>>;
  /** digest of each AGENTS.md seen */
  guides: Record<string, string>;
  /** what of a project's state the memory service has */
  stored: Record<string, string>;
  memoryTotal?: number;
  /** how the memory service failed last, to say it once */
  memoryProblem?: string;
};

/** A damaged ledger is rebuilt, and the budget starts over. */
const readJson = <T extends { version: 1 }>(path: string): T | undefined => {
  const value = parseJson(readFileIfThere(path) ?? "") as T | null | undefined;
  return value?.version === 1 ? value : undefined;
};

const save = (path: string, value: unknown): void =>
  writeFileDurably(path, `${JSON.stringify(value)}\n`, { mode: 0o600 });

const carePath = (home: string, worker: string): string =>
  join(workerFiles(home, worker).folder, "steerer.json");
const dirPath = (home: string, dir: string): string => join(steerFolder(home), `dir-${dirKey(dir)}.json`);

export const loadCare = (home: string, worker: string): CareRecord =>
  readJson<CareRecord>(carePath(home, worker)) ?? { version: 1, restarts: [], read: { inode: 0, offset: 0 } };

export const saveCare = (home: string, worker: string, record: CareRecord): void =>
  save(carePath(home, worker), record);

export const loadDir = (home: string, dir: string): DirRecord =>
  readJson<DirRecord>(dirPath(home, dir)) ?? { version: 1, errors: {}, guides: {}, stored: {} };

export const saveDir = (home: string, dir: string, record: DirRecord): void =>
  save(dirPath(home, dir), record);
