import { useEffect, useState } from "preact/hooks";
import { call } from "../api.ts";
import { countText } from "../format.ts";
import { Button, Command, Failure, Link, PageTitle, Table } from "../parts.tsx";
import { PushSwitch } from "../push-switch.tsx";
import { type WaitingChange, useWaitingChanges } from "../waiting-changes.ts";
import { WaitingChanges } from "./approvals.tsx";
import { Freshness, LiveMark } from "./freshness.tsx";
import { Filters, type Filter, filterQuery } from "./filters.tsx";
import { type Overview, type Run, runPath } from "./night-api.ts";
import { RunCard, Status } from "./run-card.tsx";
import { useWork } from "../use-work.ts";
import { useLive } from "./use-live.ts";
import { lookedSince, noteLooked } from "./looked.ts";
import { costText, dayText, moneyText, spanText } from "./words.ts";

/** "$6.40 + 2 unknown": workers whose agents told no cost are never counted as free. */
const spentText = ({ costUsd, unpriced }: Overview["totals"]): string => {
  if (unpriced === 0) return moneyText(costUsd);
  return costUsd > 0 ? `${moneyText(costUsd)} + ${unpriced} unknown` : "cost unknown";
};

/** What became of the night, in one line. */
const TopLine = ({ totals, needsYou }: { totals: Overview["totals"]; needsYou: number }) => (
  <p class="topline">
    <span class={totals.done > 0 ? "good" : ""}>{totals.done} done</span>
    <span class={needsYou > 0 ? "bad" : ""}>
      {needsYou} {needsYou === 1 ? "needs" : "need"} you
    </span>
    <span class={totals.running > 0 ? "run" : ""}>{totals.running} running</span>
    <span>{spentText(totals)}</span>
  </p>
);

type CardsProps = { title: string; runs: Run[]; changes?: WaitingChange[] };

const Cards = ({ title, runs, changes = [] }: CardsProps) =>
  runs.length + changes.length === 0 ? null : (
    <section class="stack" aria-label={title}>
      <h2>
        {title} <span class="count">{runs.length + changes.length}</span>
      </h2>
      <WaitingChanges changes={changes} />
      {runs.length > 0 && (
        <ul class="cards">
          {runs.map((run) => (
            <RunCard key={run.id} run={run} />
          ))}
        </ul>
      )}
    </section>
  );

const Row = ({ run }: { run: Run }) => {
  const { report, startedAt } = run;
  const ended = report.endedAt;
  return (
    <tr>
      <th scope="row">
        <Link to={runPath(run.id)}>{run.worker}</Link>
        <p class="quiet run-task">{report.task}</p>
      </th>
      <td data-label="Status">
        <div>
          <Status run={run} />
        </div>
      </td>
      <td data-label="Where">
        <div>
          {run.project} <span class="quiet host">on {run.host}</span>
        </div>
      </td>
      <td data-label="Sessions" class="number">
        {report.session}/{report.max}
      </td>
      <td data-label="Commits" class="number">
        {run.commits}
      </td>
      <td data-label="Cost" class="number">
        {costText(run)}
      </td>
      <td data-label="Began">
        <div>
          <time dateTime={startedAt}>{dayText(startedAt)}</time>
          {ended !== undefined && (
            <span class="quiet"> · {spanText(Date.parse(ended) - Date.parse(startedAt))}</span>
          )}
        </div>
      </td>
    </tr>
  );
};

const History = ({ night, filter }: { night: Overview; filter: Filter }) => {
  const [older, setOlder] = useState<{ key: string; runs: Run[]; next: string | undefined }>();
  const { error, run } = useWork();
  const key = JSON.stringify(filter);
  const more = older?.key === key ? older : undefined;
  const known = new Set(night.runs.map(({ id }) => id));
  const runs = [...night.runs, ...(more?.runs.filter(({ id }) => !known.has(id)) ?? [])];
  const next = more ? more.next : night.next;
  const load = async () => {
    const page = await call(({ api }) =>
      api.night.get({ query: { ...filterQuery(filter), ...(next === undefined ? {} : { before: next }) } }),
    );
    setOlder({ key, runs: [...(more?.runs ?? []), ...page.runs], next: page.next });
  };
  if (runs.length === 0) return <p class="quiet">No runs match these filters.</p>;
  return (
    <>
      <Table
        class="runs"
        caption="Runs, the newest first"
        columns={["Worker", "Status", "Where", "Sessions", "Commits", "Cost", "Began"]}
        numbers={["Sessions", "Commits", "Cost"]}
      >
        <tbody>
          {runs.map((each) => (
            <Row key={each.id} run={each} />
          ))}
        </tbody>
      </Table>
      <Failure error={error} />
      {next !== undefined && (
        <div class="row">
          <Button text="Show older runs" onClick={() => run(load)} />
        </div>
      )}
    </>
  );
};

const Empty = () => (
  <div class="empty stack">
    <p class="strong">No workers yet</p>
    <p class="quiet">Start a worker on any machine that has this server's memory key:</p>
    <Command text={'worker start docs --task "Fix the broken links"'} />
    <p class="quiet">Keep the steerer running on the same machine, so that this page can resume workers:</p>
    <Command text="steerer" />
  </div>
);

/** The night on one page: what became of it, what needs somebody, what goes on, what was. */
export const NightPage = () => {
  const [since] = useState(lookedSince);
  const [filter, setFilter] = useState<Filter>({});
  const live = useLive(JSON.stringify(filter), {
    load: () => call(({ api }) => api.night.get({ query: { since, ...filterQuery(filter) } })),
    stream: "/api/night/stream",
  });
  useEffect(noteLooked, []);
  const night = live.value;
  const changes = useWaitingChanges();
  const isEmpty = night !== undefined && night.projects.length === 0;
  return (
    <main class="stack night">
      <div class="night-head">
        <PageTitle title="Night">Night</PageTitle>
        <LiveMark isLive={live.isLive} />
      </div>
      <Freshness live={live} />
      {night && !isEmpty && (
        <>
          <div class="stack tight" role="status">
            <TopLine totals={night.totals} needsYou={night.totals.needsYou + changes.length} />
            <p class="quiet">
              since {dayText(night.since)}
              {night.totals.commits > 0 && <> · {countText(night.totals.commits, "commit")}</>}
            </p>
          </div>
          <Cards title="Needs you" runs={night.needsYou} changes={changes} />
          <Cards title="Running" runs={night.running} />
          <section class="stack" aria-labelledby="runs-title">
            <h2 id="runs-title">All runs</h2>
            <Filters night={night} filter={filter} onChange={setFilter} />
            <History night={night} filter={filter} />
          </section>
        </>
      )}
      {isEmpty && (
        <>
          <Cards title="Needs you" runs={[]} changes={changes} />
          <Empty />
        </>
      )}
      {night && <PushSwitch />}
    </main>
  );
};
