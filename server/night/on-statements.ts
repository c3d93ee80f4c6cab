import { insertion, named } from "../../db/rows.ts";
import type { Statements } from "../../db/statements.ts";
import type { NewEvent } from "./fold.ts";
import type { Card } from "./card.ts";
import type { ListedRun, NightStore, RunFilter, StoredCommand, StoredEvent } from "./store.ts";

type RunRow = { card: string; is_seen: number };
type EventRow = { body: string };

const RUN = "card, reported_at, started_at, ended_at, is_seen";
/** bound once each: the project, the host, the status, the first and the last start */
const FILTER = `(CAST($1 AS TEXT) IS NULL OR project = $1) AND (CAST($2 AS TEXT) IS NULL OR host = $2)
  AND (CAST($3 AS TEXT) IS NULL OR status = $3) AND started_at >= $4 AND started_at < $5`;
const FOREVER = 8_640_000_000_000_000;

const filterValues = ({ project, host, status, from, to }: RunFilter) => [
  project ?? null,
  host ?? null,
  status ?? null,
  from ?? 0,
  to ?? FOREVER,
];

const toRun = (row: RunRow): ListedRun => ({
  ...named<ListedRun>(row),
  card: JSON.parse(row.card) as Card,
  isSeen: row.is_seen === 1,
});

const toEvent = (row: EventRow): StoredEvent => ({
  ...named<StoredEvent>(row),
  body: JSON.parse(row.body) as NewEvent["body"],
});

const toCommand = (row: { args: string }): StoredCommand => ({
  ...named<StoredCommand>(row),
  args: JSON.parse(row.args) as Record<string, unknown>,
});

/** What is over stays as it was said first. */
const ACKNOWLEDGE = `
UPDATE night_commands SET state = $1, detail = $2, received_at = COALESCE(received_at, $3), ended_at = $4
WHERE id = $5 AND host = $6 AND state IN ('sent', 'received')`;

/** Everything that takes single statements, the same on both databases. */
export const onStatements = ({
  all: read,
  run: write,
}: Statements): Omit<NightStore, "change" | "forgetBefore"> => ({
  find: async (id) => {
    const [row] = await read<RunRow>(`SELECT ${RUN} FROM night_runs WHERE id = $1`, [id]);
    return row && toRun(row);
  },
  listCurrent: async (filter) =>
    (
      await read<RunRow>(
        `SELECT ${RUN} FROM night_runs WHERE ${FILTER} AND is_latest >= 1 AND (ended_at IS NULL OR (is_latest = 2 AND is_seen = 0))
         ORDER BY started_at DESC, id DESC LIMIT 1000`,
        filterValues(filter),
      )
    ).map(toRun),
  list: async (filter, { before, limit }) =>
    (
      await read<RunRow>(
        `SELECT ${RUN} FROM night_runs WHERE ${FILTER} AND (started_at < $6 OR (started_at = $6 AND id < $7))
         ORDER BY started_at DESC, id DESC LIMIT $8`,
        [...filterValues(filter), before?.startedAt ?? FOREVER, before?.id ?? "", limit],
      )
    ).map(toRun),
  listSince: async (time, limit, startedBefore = FOREVER) =>
    (
      await read<RunRow>(
        `SELECT ${RUN} FROM night_runs WHERE reported_at >= $1 AND started_at < $2
         ORDER BY reported_at DESC LIMIT $3`,
        [time, startedBefore, limit],
      )
    ).map(toRun),
  sumSince: async (time) => {
    const [began] = await read<{ cost: number; unpriced: number; commits: number }>(
      `SELECT COALESCE(SUM(cost), 0) AS cost, COALESCE(SUM(commits), 0) AS commits,
       COALESCE(SUM(CASE WHEN unpriced > 0 THEN 1 ELSE 0 END), 0) AS unpriced FROM night_runs WHERE started_at >= $1`,
      [time],
    );
    const [ended] = await read<{ done: number }>(
      "SELECT count(*) AS done FROM night_runs WHERE status = 'complete' AND ended_at >= $1",
      [time],
    );
    return {
      done: ended?.done ?? 0,
      costUsd: began?.cost ?? 0,
      unpriced: began?.unpriced ?? 0,
      commits: began?.commits ?? 0,
    };
  },
  runsOfTasks: async ([first, last]) => {
    const rows = await read<{ queue_task: number; id: string }>(
      "SELECT queue_task, id FROM night_runs WHERE queue_task >= $1 AND queue_task <= $2 ORDER BY started_at",
      [first, last],
    );
    return new Map(rows.map((row) => [row.queue_task, row.id]));
  },
  facets: async () => {
    const names = async (column: "project" | "host") =>
      (
        await read<{ name: string }>(
          `SELECT DISTINCT ${column} AS name FROM night_runs ORDER BY name LIMIT 500`,
        )
      ).map(({ name }) => name);
    return { projects: await names("project"), hosts: await names("host") };
  },
  events: async (run) =>
    (
      await read<EventRow>(
        `SELECT number, at, kind, session, lines, body, COALESCE(length(text), 0) AS text_length FROM night_events
         WHERE run = $1 AND kind <> 'log' ORDER BY number LIMIT 20000`,
        [run],
      )
    ).map(toEvent),
  log: async (run, after) =>
    (
      await read<{ number: number; body: string }>(
        "SELECT number, body FROM night_events WHERE run = $1 AND kind = 'log' AND number > $2 ORDER BY number",
        [run, after],
      )
    ).map(({ number, body }) => ({ number, lines: (JSON.parse(body) as { lines: string[] }).lines })),
  text: async (run, number) =>
    (
      await read<{ text: string | null }>("SELECT text FROM night_events WHERE run = $1 AND number = $2", [
        run,
        number,
      ])
    )[0]?.text ?? undefined,
  listCommands: async (run) =>
    (
      await read<{ args: string }>(
        "SELECT * FROM night_commands WHERE run = $1 ORDER BY created_at DESC, id LIMIT 100",
        [run],
      )
    ).map(toCommand),
  openCommands: async (host, now) =>
    (
      await read<{ args: string }>(
        `SELECT * FROM night_commands WHERE host = $1 AND state IN ('sent', 'received') AND expires_at > $2
         ORDER BY created_at, id LIMIT 100`,
        [host, now],
      )
    ).map(toCommand),
  openHosts: async (now) =>
    (
      await read<{ host: string }>(
        "SELECT DISTINCT host FROM night_commands WHERE state = 'sent' AND expires_at > $1",
        [now],
      )
    ).map(({ host }) => host),
  setSeen: async (id) => (await write("UPDATE night_runs SET is_seen = 1 WHERE id = $1", [id])) > 0,
  addCommand: async (command) => {
    await write(...insertion("night_commands", { ...command, args: JSON.stringify(command.args) }));
  },
  acknowledge: async (host, acks, now) => {
    const runs: string[] = [];
    for (const { id, state, detail = null } of acks) {
      const endedAt = state === "received" ? null : now;
      if ((await write(ACKNOWLEDGE, [state, detail, now, endedAt, id, host])) === 0) continue;
      const query = "SELECT run FROM night_commands WHERE id = $1 AND host = $2";
      runs.push(...(await read<{ run: string }>(query, [id, host])).map(({ run }) => run));
    }
    return runs;
  },
});
