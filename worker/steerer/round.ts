import type { Clock } from "../../core/clock.ts";
import { findLockHolder } from "../../core/lock-owner.ts";
import type { Environment } from "../../core/paths.ts";
import { type LiveMarks, listLiveMarks } from "../../core/process-tree.ts";
import { hasStopRequest } from "../state/control.ts";
import { errorFingerprint } from "../loop/decide-next.ts";
import { projectName } from "../state/project-name.ts";
import { workerFiles } from "../state/worker-files.ts";
import { isActive } from "../state/worker-state.ts";
import { type ListedWorker, findState, listWorkers, toListed } from "../state/worker-store.ts";
import { careFor } from "./care-for.ts";
import { type Care, type Observation, deathOf, decideCare } from "./decide-care.ts";
import { findCrashCause } from "./crash-cause.ts";
import { type FoundError, findErrors } from "./find-errors.ts";
import { findCure, groupErrors } from "./known-errors.ts";
import { type CareRecord, type DirRecord, loadCare, loadDir, saveCare, saveDir } from "./ledger.ts";
import { noticeGuides, noticeMemory } from "./notice-news.ts";
import { projectStates } from "./project-state.ts";
import { readNews } from "./read-news.ts";
import type { SteerLog } from "./steer-log.ts";
import type { SteerSettings } from "./steer-settings.ts";
import { storeLessons } from "./store-lessons.ts";
import { isWithin } from "../../core/is-within.ts";

export type SteerPorts = { clock: Clock; env: Environment; fetch: typeof fetch; home: string; log: SteerLog };

/** A worker as the steerer sees it after a round. */
export type Watched = {
  worker: ListedWorker;
  restarts: number;
  /** why it was not restarted */
  settled: string | undefined;
  errors: number;
};

const MARKED_SESSIONS = 3;

const observe = (home: string, worker: ListedWorker, live: LiveMarks): Observation => {
  const files = workerFiles(home, worker.name);
  return {
    worker,
    isHeld: findLockHolder(files.supervisorLock) !== undefined,
    hasStopRequest: hasStopRequest(files.control),
    liveMarks: worker.sessions
      .slice(-MARKED_SESSIONS)
      .map(({ mark }) => mark)
      .filter((mark) => live.has(mark)),
    record: loadCare(home, worker.name),
  };
};

/** The workers whose directory (for a worktree: whose repository) lies in a watched one. */
export const watchedWorkers = (home: string, dirs: readonly string[]): ListedWorker[] =>
  listWorkers(home).workers.filter(
    ({ dir, worktree, lease }) =>
      // Tasks of the queue are looked after by pools: another host may be at work on them by now.
      lease === undefined &&
      dirs.some(
        (watched) =>
          isWithin(dir, watched) || (worktree !== undefined && isWithin(worktree.repository, watched)),
      ),
  );

/** What a round would do about each worker, without doing it. */
export const planRound = (
  { clock, home }: Pick<SteerPorts, "clock" | "home">,
  { dirs, policies }: SteerSettings,
): { observation: Observation; cares: Care[] }[] => {
  const live = listLiveMarks();
  return watchedWorkers(home, dirs).map((worker) => {
    const observation = observe(home, worker, live);
    return { observation, cares: decideCare(observation, policies, clock.now()) };
  });
};

/** The same of one worker, as it is by now; undefined when somebody removed it. */
const lookAgain = (
  { clock, home }: Pick<SteerPorts, "clock" | "home">,
  { policies }: SteerSettings,
  name: string,
): { observation: Observation; cares: Care[] } | undefined => {
  const state = findState(home, name);
  if (!state) return undefined;
  const observation = observe(home, toListed(home, state), listLiveMarks());
  return { observation, cares: decideCare(observation, policies, clock.now()) };
};

/** Somebody went on with a worker that was left to them. */
const isResumed = ({ worker, record }: Observation): boolean =>
  record.settled !== undefined && isActive(worker.status);

const startAnew = (home: string, { worker, record }: Observation): CareRecord => {
  const anew: CareRecord = { version: 1, restarts: [], read: record.read };
  saveCare(home, worker.name, anew);
  return anew;
};

/** Looks at every watched worker once and does what is needed. */
export const runRound = async (ports: SteerPorts, settings: SteerSettings): Promise<Watched[]> => {
  const { home, log } = ports;
  const records = new Map<string, CareRecord>();
  const crashes = new Map<string, FoundError>();
  for (const first of planRound(ports, settings)) {
    // Others before it may have taken minutes: somebody may have stopped or removed it meanwhile.
    const looked =
      first.cares.length === 0 ? first : lookAgain(ports, settings, first.observation.worker.name);
    if (!looked) continue;
    const { observation, cares } = looked;
    const { worker, record } = observation;
    const crash = cares.some(({ kind }) => kind === "restart" || kind === "settle")
      ? crashError(ports, worker)
      : undefined;
    if (crash) crashes.set(worker.name, crash);
    const start = isResumed(observation) ? startAnew(home, observation) : record;
    records.set(worker.name, await careFor(ports, { worker, record: start }, cares));
  }
  const [firstDir = home] = settings.dirs;
  const dirRecord = loadDir(home, firstDir);
  // Somebody may have removed one meanwhile.
  const workers = [...records.keys()].flatMap((name) => {
    const state = findState(home, name);
    return state ? [toListed(home, state)] : [];
  });
  for (const worker of workers)
    records.set(worker.name, readErrors(ports, { worker, dirRecord, records, crashes }));
  const watched = workers.map((worker) => toWatched(worker, { records, dirRecord, now: ports.clock.now() }));
  noticeGuides(log, dirRecord, { dirs: settings.dirs, workers });
  if (settings.memory && settings.policies.learn) await teach(ports, settings, { dirRecord, watched });
  saveDir(home, firstDir, dirRecord);
  return watched;
};

/** A supervisor that died of something it could still name. */
const crashError = ({ clock, home }: SteerPorts, worker: ListedWorker): FoundError | undefined => {
  const cause = findCrashCause(workerFiles(home, worker.name).log);
  if (cause === undefined) return undefined;
  const message = `supervisor crashed: ${cause}`;
  return {
    at: new Date(clock.now()).toISOString(),
    session: worker.sessions.at(-1)?.number ?? 0,
    fingerprint: errorFingerprint(message),
    message,
  };
};

const readErrors = (
  { home, log }: SteerPorts,
  {
    worker,
    dirRecord,
    records,
    crashes,
  }: {
    worker: ListedWorker;
    dirRecord: DirRecord;
    records: ReadonlyMap<string, CareRecord>;
    crashes: ReadonlyMap<string, FoundError>;
  },
): CareRecord => {
  const record = records.get(worker.name) ?? loadCare(home, worker.name);
  const { events, read } = readNews(workerFiles(home, worker.name).events, record.read);
  const crash = crashes.get(worker.name);
  const groups = (dirRecord.errors[projectName(worker)] ??= {});
  for (const error of groupErrors(groups, worker, [...findErrors(events), ...(crash ? [crash] : [])]))
    log.tell("error", {
      worker: worker.name,
      dir: worker.dir,
      message: error.message,
      session: error.session,
    });
  for (const error of Object.values(groups)) {
    const cure = error.cure ?? findCure(error, worker);
    if (cure) error.cure = cure;
  }
  if (read.inode === record.read.inode && read.offset === record.read.offset) return record;
  const next = { ...record, read };
  saveCare(home, worker.name, next);
  return next;
};

const HOUR_MS = 3_600_000;

const toWatched = (
  worker: ListedWorker,
  {
    records,
    dirRecord,
    now,
  }: { records: ReadonlyMap<string, CareRecord>; dirRecord: DirRecord; now: number },
): Watched => {
  const record = records.get(worker.name);
  const isSettled = worker.status === "crashed" && record?.settled?.death === deathOf(worker);
  return {
    worker,
    restarts: record?.restarts.filter((at) => Date.parse(at) > now - HOUR_MS).length ?? 0,
    settled: isSettled ? record?.settled?.reason : undefined,
    errors: Object.values(dirRecord.errors[projectName(worker)] ?? {}).filter(
      (error) => error.worker === worker.name,
    ).length,
  };
};

/** What the memory service is told, and what it tells; its being away is said once. */
const teach = async (
  ports: SteerPorts,
  { memory }: SteerSettings,
  { dirRecord, watched }: { dirRecord: DirRecord; watched: readonly Watched[] },
): Promise<void> => {
  if (!memory) return;
  const workers = watched.map(({ worker }) => worker);
  const heard = await noticeMemory(ports, memory, { record: dirRecord, workers, isOwn: false });
  const problem =
    heard ??
    (await storeLessons(ports, memory, { record: dirRecord, states: projectStates(watched) })) ??
    (await noticeMemory(ports, memory, { record: dirRecord, workers, isOwn: true }));
  if (problem !== undefined && problem !== dirRecord.memoryProblem)
    ports.log.tell("memory-problem", { message: problem });
  if (problem === undefined) delete dirRecord.memoryProblem;
  else dirRecord.memoryProblem = problem;
};
