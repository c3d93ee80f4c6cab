import { AppError } from "../../core/errors.ts";
import { type Static, Type } from "../../core/schema.ts";
import { type Card, countUnpriced, isActive, needOf } from "./card.ts";
import type { NightPorts } from "./ports.ts";
import type { ListedRun, NightStore, RunCursor, RunFilter } from "./store.ts";
import { RunView, viewRun } from "./views.ts";

export type OverviewQuery = {
  since?: string | undefined;
  project?: string | undefined;
  host?: string | undefined;
  status?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  before?: string | undefined;
  limit?: number | undefined;
};

const DEFAULT_LIMIT = 30;
const COUNTED = 1_000;
const EVENING_HOURS = 14;

const readTime = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new AppError(
      "bad-data",
      `${name} must be a time as in 2026-11-20T18:00:00Z, not "${text.slice(0, 40)}"`,
      {
        faults: [{ path: `/query/${name}`, message: "is no time" }],
      },
    );
  return ms;
};

const readCursor = (text: string | undefined): RunCursor | undefined => {
  const match = /^(\d{1,16})\.([A-Za-z0-9-]{8,64})$/.exec(text ?? "");
  return match ? { startedAt: Number(match[1]), id: match[2] ?? "" } : undefined;
};

/** What a run that began before has come to since: its sessions that went on after that. */
const sinceThen = ({ sessions }: Card, since: number) => {
  const later = sessions.filter(({ endedAt }) => endedAt === undefined || Date.parse(endedAt) >= since);
  return {
    costUsd: later.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    unpriced: countUnpriced({ sessions: later }) > 0 ? 1 : 0,
    commits: later.reduce((sum, { commits }) => sum + commits, 0),
  };
};

/** The line at the top: what became of the night since somebody looked last. */
const countSince = async (store: NightStore, since: number) => {
  const [sum, before] = await Promise.all([store.sumSince(since), store.listSince(since, COUNTED, since)]);
  return before
    .map(({ card }) => sinceThen(card, since))
    .reduce<typeof sum>(
      (total, { costUsd, unpriced, commits }) => ({
        done: total.done,
        costUsd: total.costUsd + costUsd,
        unpriced: total.unpriced + unpriced,
        commits: total.commits + commits,
      }),
      sum,
    );
};

export const Overview = Type.Object({
  since: Type.String(),
  at: Type.String(),
  totals: Type.Object({
    done: Type.Integer(),
    needsYou: Type.Integer(),
    running: Type.Integer(),
    costUsd: Type.Number(),
    unpriced: Type.Integer({ description: "Runs with sessions that told no cost: it is not in the sum" }),
    commits: Type.Integer(),
  }),
  needsYou: Type.Array(RunView),
  running: Type.Array(RunView),
  runs: Type.Array(RunView),
  next: Type.Optional(Type.String({ description: "Give it as `before` for the next page" })),
  projects: Type.Array(Type.String()),
  hosts: Type.Array(Type.String()),
});
export type Overview = Static<typeof Overview>;

/** The night on one page: what needs a person, what runs, and a page of what has been. */
export const readOverview = async ({ store, now }: NightPorts, query: OverviewQuery): Promise<Overview> => {
  const at = now();
  const since = readTime("since", query.since) ?? at - EVENING_HOURS * 3_600_000;
  const filter: RunFilter = {
    project: query.project,
    host: query.host,
    status: query.status,
    from: readTime("from", query.from),
    to: readTime("to", query.to),
  };
  const before = readCursor(query.before);
  const limit = query.limit ?? DEFAULT_LIMIT;
  const [current, page, counted, facets] = await Promise.all([
    store.listCurrent(filter),
    store.list(filter, { before, limit: limit + 1 }),
    countSince(store, since),
    store.facets(),
  ]);
  const needy = current.filter(
    (run) => !run.isSeen && needOf(run.card, { reportedAt: run.reportedAt, now: at }) !== undefined,
  );
  const running = current.filter((run) => isActive(run.card.report.status) && !needy.includes(run));
  const shown = page.slice(0, limit);
  const last = page.length > limit ? shown.at(-1) : undefined;
  const view = (run: ListedRun) => viewRun(run, at);
  return {
    since: new Date(since).toISOString(),
    at: new Date(at).toISOString(),
    totals: { ...counted, needsYou: needy.length, running: running.length },
    needsYou: needy.map(view),
    running: running.map(view),
    runs: shown.map(view),
    ...(last === undefined ? {} : { next: `${last.startedAt}.${last.card.id}` }),
    projects: facets.projects,
    hosts: facets.hosts,
  };
};
