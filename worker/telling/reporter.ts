import { randomUUID } from "node:crypto";
import { type Clock, orAfter } from "../../core/clock.ts";
import type { Git } from "../../core/git.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import type { WorkerFiles } from "../state/worker-files.ts";
import { ACTIVE, type SessionRecord, type WorkerState } from "../state/worker-state.ts";
import { type FleetSettings, fleetReport, isFinal, isUnfit, runHead } from "./fleet-client.ts";
import { readPatch } from "./patch.ts";
import { type Batch, boundEvents, listSpooled, nextEvents, openSpool } from "./spool.ts";
import { tellBatch, tellLeft } from "./tell-left.ts";
import { createToldLedger } from "./told-ledger.ts";
import { cutText, type Told, type ToldEvent, toTold, toldVerdict, usageOf } from "./told-event.ts";

export type Reporter = {
  /** notes how the worker is now; returns at once, whatever the server does */
  tell: (state: WorkerState) => void;
  /** a line of the worker's log */
  line: (text: string) => void;
  /** something that happened, as the worker's events say it */
  event: (type: string, data: Record<string, unknown>) => void;
  /** what a session that is over leaves: its verdict, its commits and its handoff */
  session: (record: SessionRecord) => void;
  /** gives the last word a moment to go out; what does not is kept on the disk */
  close: () => Promise<void>;
};

const GAP_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 30_000;
const LAST_WORD_MS = 3_000;
const LAST_TRIES = 20;
const USAGE_EVERY_MS = 10_000;
const LOG_LINES = 500;
const LINES_AT_ONCE = 200;
const LINE_CHARS = 2_000;

const SILENT: Reporter = {
  tell: () => {},
  line: () => {},
  event: () => {},
  session: () => {},
  close: async () => {},
};

type Ports = { clock: Clock; fetch: typeof globalThis.fetch };
type About = { git: Git; request: { fleet?: FleetSettings }; files: Pick<WorkerFiles, "telling"> };

/**
 * Tells the server how a worker is and what happens, without ever holding it up: one request at a time, at the pace
 * the server asks for, in order, again until it was taken. While the server is away what happened waits on the disk,
 * the log as its last 500 lines. A server that has no such route, or refuses the key, is told nothing more;
 * `onProblem` hears of it once.
 */
export const createReporter = (
  { clock, fetch }: Ports,
  { git, request: { fleet: settings }, files: { telling: folder } }: About,
  onProblem: (problem: string) => void,
): Reporter => {
  if (!settings) return SILENT;
  const stream = randomUUID();
  const spool = openSpool(folder, { stream, startedMs: clock.now() });
  let left = listSpooled(folder);
  let latest: WorkerState | undefined;
  let lastLine: string | undefined;
  let lines: string[] = [];
  let events: ToldEvent[] = [];
  let seq = 0;
  let usage = { atMs: -Infinity, tokens: -1, session: 0 };
  let isNew = false;
  let isOver = false;
  let isClosing = false;
  let pauseMs = 0;
  let paceMs = GAP_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let reading: Promise<unknown> = Promise.resolve();
  const told = new Set<string>();
  const ledger = createToldLedger();

  const complain = (problem: string) => {
    if (told.has(problem)) return;
    told.add(problem);
    onProblem(problem);
  };

  const add = (one: Told, session = latest?.sessions.at(-1)?.number): void => {
    seq += 1;
    const at = new Date(clock.now()).toISOString();
    events.push({ seq, at, ...one, ...(session === undefined ? {} : { session }) });
  };

  /** At most one in ten seconds, and the last one of a session with its end. */
  const addUsage = (state: WorkerState, isLast: boolean): void => {
    const point = usageOf(state);
    const session = state.sessions.at(-1)?.number ?? 0;
    const tokens = Number(point?.data?.["contextTokens"] ?? -1);
    const isSame = tokens === usage.tokens && session === usage.session;
    if (
      !point ||
      isSame ||
      (!isLast && session === usage.session && clock.elapsed() - usage.atMs < USAGE_EVERY_MS)
    )
      return;
    usage = { atMs: clock.elapsed(), tokens, session };
    add(point);
  };

  const addLedger = (isLast: boolean): void => {
    const taken = ledger.take(clock.elapsed(), isLast);
    if (taken) add(taken.told, taken.session);
  };

  const collect = (state: WorkerState): Batch => {
    addUsage(state, false);
    addLedger(isClosing);
    for (; lines.length > 0; lines = lines.slice(LINES_AT_ONCE))
      add({ kind: "log", data: { lines: lines.slice(0, LINES_AT_ONCE) } });
    events = boundEvents(events);
    return { report: fleetReport(state, lastLine), run: runHead(state), stream, events: nextEvents(events) };
  };

  const keep = (state: WorkerState): void => {
    if (events.length === 0) return;
    try {
      spool.save({ report: fleetReport(state, lastLine), run: runHead(state), stream, events });
    } catch (error) {
      complain(
        `what the server was not told cannot be kept for later: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };

  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(send, ms).unref();
  };

  const deliver = async (state: WorkerState): Promise<void> => {
    const batch = collect(state);
    left = await tellLeft(fetch, settings, state.name, left);
    const asked: Awaited<ReturnType<typeof tellBatch>> =
      left.length === 0
        ? await tellBatch(fetch, settings, state.name, batch)
        : { problem: `${settings.url} does not take what an earlier supervisor left` };
    // What the server finds wrong with a batch stays wrong: the rest is told all the same.
    if (asked.problem === undefined || isUnfit(asked)) {
      if (asked.problem !== undefined)
        complain(`the server refused what it was told, and that part is left out: ${asked.problem}`);
      const last = batch.events.at(-1)?.seq ?? 0;
      events = events.filter((event) => event.seq > last);
      spool.clear();
      pauseMs = 0;
      const next = asked.answer?.nextInMs;
      paceMs = typeof next === "number" ? Math.min(60_000, Math.max(GAP_MS, next)) : GAP_MS;
      return;
    }
    pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pauseMs));
    isOver ||= isFinal(asked);
    complain(
      `the server could not be told how this worker is: ${asked.problem}; continuing${isOver ? " without it" : ", and telling it later"}`,
    );
    if (!isOver) keep(state);
  };

  const send = (): void => {
    const state = latest;
    if (!state || sending || isOver) return;
    isNew = false;
    sending = deliver(state).finally(() => {
      sending = undefined;
      isNew ||= events.length > 0;
      schedule(pauseMs || (isNew ? paceMs : KEEP_ALIVE_MS));
    });
  };

  const hasMore = (): boolean => (isNew || events.length > 0) && pauseMs === 0 && !isOver;

  const noteChange = () => {
    if (!latest || isNew) return;
    isNew = true;
    if (!sending && pauseMs === 0) schedule(ACTIVE.includes(latest.status) ? paceMs : 0);
  };

  return {
    tell: (state) => {
      latest = state;
      addUsage(state, false);
      noteChange();
    },
    line: (text) => {
      lastLine = text;
      const time = new Date(clock.now()).toISOString();
      const more = text.split("\n").map((line) => `${time} ${line.slice(0, LINE_CHARS)}`);
      lines = [...lines, ...more].slice(-LOG_LINES);
      noteChange();
    },
    event: (type, data) => {
      if (isOver) return;
      // What a sandbox counts last comes after its session's end.
      if (type === "session-begin" || type === "session-end") addLedger(true);
      if (type === "session-end" && latest) addUsage(latest, true);
      if (type === "network") ledger.note(data);
      const one = toTold(type, data);
      if (!one) return;
      const session = data["session"];
      add(one, typeof session === "number" ? session : undefined);
      noteChange();
    },
    session: ({ number, headBefore, commits, handoffFile, verdict }) => {
      if (isOver) return;
      if (verdict) add(toldVerdict(verdict), number);
      const note = handoffFile === undefined ? undefined : readFileIfThere(handoffFile);
      if (note !== undefined) add({ kind: "handoff", text: cutText(note) }, number);
      reading = reading
        .then(() => readPatch(git, { headBefore, commits }))
        .then((patch) => {
          if (patch) add(patch, number);
          noteChange();
        })
        .catch(() => undefined); // a repository that went has no patch to show
      noteChange();
    },
    close: async () => {
      isClosing = true;
      clearTimeout(timer);
      const finish = async () => {
        await reading;
        await sending;
        clearTimeout(timer);
        for (let tries = 0; tries < LAST_TRIES && hasMore(); tries++) {
          send();
          await sending;
          clearTimeout(timer);
        }
      };
      await orAfter(clock, finish(), LAST_WORD_MS);
      clearTimeout(timer);
      if (latest && !isOver) {
        collect(latest);
        keep(latest);
      }
      isOver = true;
    },
  };
};
