import { basename } from "node:path";
import { plural } from "../../core/plural.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import type { Clock } from "../../core/clock.ts";
import { errorText } from "../../core/errors.ts";
import { tryLock } from "../../core/file-lock.ts";
import { createGit, readGitState } from "../../core/git.ts";
import type { Environment } from "../../core/paths.ts";
import { endMarked } from "../../core/process-tree.ts";
import { describeRescue } from "../session/describe-rescue.ts";
import { rescueWork } from "../session/rescue.ts";
import { findDirectoryHolder, lockFolder } from "../loop/directory-lock.ts";
import { agreeToSandbox } from "../start/agree-to-sandbox.ts";
import { planResume } from "../start/plan-start.ts";
import { spawnSupervisor } from "../start/spawn-supervisor.ts";
import { hasStopRequest } from "../state/control.ts";
import { workerFiles } from "../state/worker-files.ts";
import { type ListedWorker, findState } from "../state/worker-store.ts";
import { findCrashCause } from "./crash-cause.ts";
import { type Care, deathOf, recentRestarts } from "./decide-care.ts";
import { nightshiftHome } from "../../core/paths.ts";
import { createNotify } from "../../notify/notify.ts";
import { type CareRecord, saveCare } from "./ledger.ts";
import type { SteerLog } from "./steer-log.ts";

export type CarePorts = { clock: Clock; env: Environment; home: string; log: SteerLog };

/** Does what was decided for one worker and writes it down; returns the record as it is then. */
export const careFor = async (
  ports: CarePorts,
  { worker, record }: { worker: ListedWorker; record: CareRecord },
  cares: readonly Care[],
): Promise<CareRecord> => {
  let now = record;
  const remember = (change: Partial<CareRecord>) => {
    now = { ...now, ...change };
    saveCare(ports.home, worker.name, now);
  };
  for (const care of cares)
    switch (care.kind) {
      case "reap":
        await whileHeld(ports, worker, () => reap(ports, worker, care.marks));
        break;
      case "rescue":
        if (await whileHeld(ports, worker, () => rescue(ports, worker)))
          remember({ tidied: deathOf(worker) });
        break;
      case "settle":
        remember({ settled: { death: deathOf(worker), reason: care.reason } });
        ports.log.tell(care.status, {
          worker: worker.name,
          dir: worker.dir,
          message: `${care.reason}${lastWords(ports, worker)}`,
        });
        tellSilent(ports, worker, care.reason);
        break;
      case "restart":
        // Written first: a restart that brings the steerer down counts, too.
        remember({
          restarts: [...recentRestarts(now, ports.clock.now()), new Date(ports.clock.now()).toISOString()],
        });
        await restart(ports, worker, care.number);
    }
  return now;
};

/** Nobody works on it any more, and it cannot say so itself. */
const tellSilent = ({ env, clock, log }: CarePorts, { name, dir }: ListedWorker, reason: string): void => {
  const onProblem = (message: string) => log.tell("error", { worker: name, dir, message });
  createNotify({ env, home: nightshiftHome(env), now: clock.now, onProblem })({
    happening: "silent",
    title: `${name}: crashed and was not restarted`,
    text: reason,
    worker: name,
    project: basename(dir),
  });
};

const lastWords = ({ home }: Pick<CarePorts, "home">, { name }: ListedWorker): string => {
  const cause = findCrashCause(workerFiles(home, name).log);
  return cause === undefined ? "" : `; its last output: ${cause}`;
};

/** Nobody may resume the worker while its leftovers are handled; false when somebody just did. */
const whileHeld = async (
  { home }: CarePorts,
  { name }: ListedWorker,
  act: () => Promise<void>,
): Promise<boolean> => {
  const { lock } = tryLock(workerFiles(home, name).supervisorLock, {
    label: `the steerer, for worker "${name}"`,
  });
  if (!lock) return false;
  try {
    await act();
    return true;
  } finally {
    lock.release();
  }
};

const reap = async (
  { clock, log }: CarePorts,
  worker: ListedWorker,
  marks: readonly string[],
): Promise<void> => {
  const pids: number[] = [];
  for (const mark of marks) pids.push(...(await endMarked(mark, { clock })).ended.map(({ pid }) => pid));
  if (pids.length === 0) return;
  const what = plural(pids.length, "orphaned process", "orphaned processes");
  log.tell("reap", {
    worker: worker.name,
    dir: worker.dir,
    message: `ended ${what}: ${pids.join(" ")}`,
    pids,
  });
};

const rescue = async ({ env, home, log }: CarePorts, worker: ListedWorker): Promise<void> => {
  const tell = (type: "rescue" | "rescue-failed", message: string, data = {}) =>
    log.tell(type, { worker: worker.name, dir: worker.dir, message, ...data });
  try {
    const git = createGit(worker.dir, env);
    // Another worker in the directory looks after it by itself.
    if (findDirectoryHolder(home, await lockFolder(git, worker.dir), worker.dir)) return;
    const state = await readGitState(git, worker.dir);
    if (!state || worker.sessions.length === 0) return;
    const session = (worker.sessions.at(-1)?.number ?? 0) + 1;
    const saved = await rescueWork(git, { state, worker: worker.name, session });
    if (saved.saved.length + saved.unsaved.length > 0) tell("rescue", describeRescue(saved), saved);
  } catch (error) {
    tell("rescue-failed", errorText(error));
  }
};

/**
 * The last look before a restart, with the worker's lock in our hands so that nobody goes on with it meanwhile.
 * What is asked of the worker from then on is for the supervisor that is to be started.
 * @returns the time of the look; undefined when there is nothing to restart any more
 */
const lookOnceMore = (home: string, worker: ListedWorker, clock: Clock): number | undefined => {
  const files = workerFiles(home, worker.name);
  const { lock } = tryLock(files.supervisorLock, { label: `the steerer, for worker "${worker.name}"` });
  if (!lock) return undefined;
  try {
    const sinceMs = clock.now();
    const now = findState(home, worker.name);
    const isSame = now?.supervisor.pid === worker.supervisor.pid && now.updatedAt === worker.updatedAt;
    return isSame && !hasStopRequest(files.control) ? sinceMs : undefined;
  } finally {
    lock.release();
  }
};

const restart = async (
  { clock, env, home, log }: CarePorts,
  worker: ListedWorker,
  number: number,
): Promise<void> => {
  const about = { worker: worker.name, dir: worker.dir };
  const cause = lastWords({ home }, worker); // before the next supervisor writes to the log
  try {
    const loaded = await loadConfig(worker.configRoot, { by: "record", env });
    await agreeToSandbox({ by: "record", env }, loaded);
    const request = await planResume(worker, loaded, { env });
    const sinceMs = lookOnceMore(home, worker, clock);
    if (sinceMs === undefined) return; // stopped, or gone on with, by somebody meanwhile; the next round sees what is left to do
    const state = await spawnSupervisor({ env, home }, { ...request, sinceMs });
    log.tell("restart", {
      ...about,
      message: `restarted after a crash in session ${worker.session} (restart ${number} within the hour)${cause}`,
      pid: state.supervisor.pid,
    });
  } catch (error) {
    if (findState(home, worker.name)?.supervisor.pid !== worker.supervisor.pid) return; // somebody was quicker
    log.tell("restart-failed", { ...about, message: errorText(error) });
  }
};
