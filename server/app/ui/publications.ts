import { ApiError, call, type Changes, type Limits } from "./api.ts";
import {
  findLimitFaults,
  findRuleFaults,
  hashAll,
  type ManifestEntry,
  publishObstacle,
  totalOf,
} from "./check-files.ts";
import type { ChosenFile } from "./chosen-file.ts";
import type { Chosen } from "./collect.ts";
import {
  activate,
  changesOf,
  createDeployment,
  type Created,
  findLive,
  findMissing,
  type Plan,
  planPublish,
  type Progress,
  uploadMissing,
} from "./publish-job.ts";

/** A folder that was read, and what publishing it would do to what was live then. */
export type Work = {
  files: ChosenFile[];
  leftOut: string[];
  manifest: ManifestEntry[];
  plan: Plan;
  live: string | undefined;
  key: string;
  created?: Created;
};

export type State =
  | { step: "choose" }
  | { step: "reading"; done: number; total: number }
  | { step: "plan"; work: Work }
  | { step: "sending"; work: Work; progress: Progress; startedAt: number; over: AbortController }
  | { step: "going-live"; created: Created; changes: Changes; live: string | undefined }
  /** an upload that failed: the folder is kept */
  | { step: "stopped"; work: Work; goLive: boolean }
  | { step: "uploaded"; created: Created; changes: Changes; live: string | undefined }
  | { step: "live"; created: Created };

/** What is being published to a site. */
export type Publication = { state: State; message: string; faults: string[]; error: unknown };

const NOTHING: Publication = { state: { step: "choose" }, message: "", faults: [], error: undefined };

// Of the page, not of a panel: whoever looks at another page, or signs in again, finds it as it is by then.
const publications = new Map<string, Publication>();
const listeners = new Set<() => void>();

export const getPublication = (site: string): Publication => publications.get(site) ?? NOTHING;

export const onPublications = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

const isSending = ({ state: { step } }: Publication): boolean => step === "sending" || step === "going-live";

/** The sites to which something is being sent now. */
export const listSending = (): string[] =>
  [...publications].filter(([, publication]) => isSending(publication)).map(([site]) => site);

const warnOfLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();

const update = (site: string, change: Partial<Publication>): void => {
  publications.set(site, { ...getPublication(site), ...change });
  // A tab that is closed now would leave an upload without its end.
  if (listSending().length > 0) addEventListener("beforeunload", warnOfLeaving);
  else removeEventListener("beforeunload", warnOfLeaving);
  for (const listener of listeners) listener();
};

export const restart = (site: string): void => update(site, NOTHING);

export const setMessage = (site: string, message: string): void => update(site, { message });

/** What was chosen and sent is nobody else's: for who signs out. */
export const forgetPublications = (): void => {
  for (const { state } of publications.values()) if (state.step === "sending") state.over.abort();
  for (const site of publications.keys()) restart(site);
  publications.clear();
};

/** Reads a folder and asks the server what publishing it would change. */
export const choose = async (site: string, { files, leftOut }: Chosen, limits: Limits): Promise<void> => {
  update(site, { error: undefined, faults: [] });
  const obstacle = publishObstacle();
  if (obstacle !== undefined) return update(site, { faults: [obstacle] });
  const total = totalOf(files);
  try {
    const limitFaults = findLimitFaults(files, limits);
    // What is far too large is not read either.
    const faults = limitFaults.length > 0 ? limitFaults : await findRuleFaults(files);
    if (faults.length > 0) return update(site, { state: { step: "choose" }, faults });
    update(site, { state: { step: "reading", done: 0, total } });
    const manifest = await hashAll(files, (done) =>
      update(site, { state: { step: "reading", done, total } }),
    );
    const live = await findLive(site);
    const plan = await planPublish(site, manifest);
    const work = { files, leftOut, manifest, plan, live, key: crypto.randomUUID() };
    update(site, { state: { step: "plan", work } });
  } catch (error) {
    update(site, { state: { step: "choose" }, error });
  }
};

/** The deployment that takes the files: the one of the attempt before, as long as it is there. */
const prepare = async (site: string, work: Work) => {
  const missing = work.created && (await findMissing(work.created.id));
  if (work.created && missing) return { created: work.created, missing };
  const key = work.created ? crypto.randomUUID() : work.key;
  return createDeployment(site, work.manifest, { message: getPublication(site).message, key });
};

/** Deletes what will not be finished; whoever may not leaves it to retention. */
const discard = async ({ created }: Work): Promise<void> => {
  if (created) await call(({ api }) => api.deployments({ id: created.id }).delete()).catch(() => undefined);
};

/** Uploads what the server lacks, and puts it live if that is wanted. */
export const send = async (site: string, before: Work, goLive: boolean): Promise<void> => {
  const over = new AbortController();
  const { signal } = over;
  const startedAt = performance.now();
  let work = before;
  const show = (progress: Progress) => {
    if (!signal.aborted)
      update(site, { state: { step: "sending", work, progress, startedAt, over }, error: undefined });
  };
  show({ bytes: 0, totalBytes: work.plan.bytesToSend, files: 0, totalFiles: work.plan.missing.length });
  try {
    const { created, missing } = await prepare(site, work);
    work = { ...work, created };
    if (!signal.aborted)
      await uploadMissing(created.id, missing, { files: work.files, signal, onProgress: show });
    if (signal.aborted) return await discard(work);
    const { changes } = work.plan;
    if (goLive) await putLive(site, { created, changes, live: work.live });
    else update(site, { state: { step: "uploaded", created, changes, live: work.live } });
  } catch (error) {
    if (signal.aborted) return discard(work);
    update(site, { state: { step: "stopped", work, goLive }, error });
  }
};

/** Gives up an upload that failed: what has come of it is deleted, too. */
export const giveUp = async (site: string, work: Work): Promise<void> => {
  await discard(work);
  restart(site);
};

/** Ends an upload under way; the folder stays chosen. */
export const cancel = (site: string): void => {
  const { state } = getPublication(site);
  if (state.step !== "sending") return;
  state.over.abort();
  const { created: _created, ...work } = state.work;
  update(site, { state: { step: "plan", work: { ...work, key: crypto.randomUUID() } } });
};

type Uploaded = { created: Created; changes: Changes; live: string | undefined };

/** Puts an upload live, unless somebody else has published since it was compared: then it is compared again. */
export const putLive = async (site: string, uploaded: Uploaded): Promise<void> => {
  const { created } = uploaded;
  update(site, { state: { step: "going-live", ...uploaded }, error: undefined });
  try {
    await activate(created.id, uploaded.live);
    update(site, { state: { step: "live", created }, message: "" });
  } catch (failure) {
    const isStale = failure instanceof ApiError && failure.status === 412;
    const error = isStale
      ? new Error(`Someone else published ${site} meanwhile. Nothing changed. Review, then publish again.`)
      : failure;
    const now = isStale ? await compareAgain(site, created).catch(() => uploaded) : uploaded;
    update(site, { state: { step: "uploaded", ...now }, error });
  }
};

const compareAgain = async (site: string, created: Created): Promise<Uploaded> => {
  const live = await findLive(site);
  return { created, changes: await changesOf(created.id), live };
};

/** Compares what waits here with what is live now: somebody published or went back meanwhile. */
export const followLive = async (site: string, live: string | undefined): Promise<void> => {
  const { state } = getPublication(site);
  const isCurrent = () => getPublication(site).state === state;
  if (state.step === "live" && live !== state.created.id) return restart(site);
  try {
    if (state.step === "plan" && state.work.live !== live) {
      const plan = await planPublish(site, state.work.manifest);
      if (isCurrent()) update(site, { state: { step: "plan", work: { ...state.work, plan, live } } });
    }
    if (state.step === "uploaded" && state.live !== live) {
      if (state.created.id === live) return restart(site);
      const changes = await changesOf(state.created.id);
      if (isCurrent()) update(site, { state: { ...state, changes, live } });
    }
  } catch (error) {
    // Deleted meanwhile, by somebody else or in the history below.
    if (error instanceof ApiError && error.status === 404 && isCurrent()) restart(site);
  }
};
