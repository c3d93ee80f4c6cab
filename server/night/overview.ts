import { AppError } from "../../core/errors.ts";
import { type Card, isActive, needOf } from "./card.ts";
import type { NightPorts } from "./ports.ts";
import type { ListedRun, RunCursor, RunFilter } from "./store.ts";
import { type RunView, viewRun } from "./views.ts";

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
const COUNTED = 5_000;
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

/** What a run has cost since a time: the sessions that went on after it. */
const costSince = ({ sessions, report, startedAt }: Card, since: number): number =>
  Date.parse(startedAt) >= since
    ? report.costUsd
    : sessions
        .filter(({ endedAt }) => endedAt === undefined || Date.parse(endedAt) >= since)
        .reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);

const DONE = new Set(["complete"]);

/** The line at the top: what became of the night since somebody looked last. */
const countSince = (runs: readonly ListedRun[], since: number) => ({
  done: runs.filter(
    ({ card, endedAt }) => endedAt !== undefined && endedAt >= since && DONE.has(card.report.status),
  ).length,
  costUsd: runs.reduce((sum, { card }) => sum + costSince(card, since), 0),
  commits: runs.reduce((sum, { card }) => sum + card.commits, 0),
});

export type Overview = {
  since: string;
  at: string;
  totals: { done: number; needsYou: number; running: number; costUsd: number; commits: number };
  needsYou: RunView[];
  running: RunView[];
  runs: RunView[];
  next?: string;
  projects: string[];
  hosts: string[];
};

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
  const [current, page, recent, facets] = await Promise.all([
    store.listCurrent(filter),
    store.list(filter, { before, limit: limit + 1 }),
    store.listSince(since, COUNTED),
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
    totals: { ...countSince(recent, since), needsYou: needy.length, running: running.length },
    needsYou: needy.map(view),
    running: running.map(view),
    runs: shown.map(view),
    ...(last === undefined ? {} : { next: `${last.startedAt}.${last.card.id}` }),
    projects: facets.projects,
    hosts: facets.hosts,
  };
};
