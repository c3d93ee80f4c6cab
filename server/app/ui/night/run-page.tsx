import { useRef } from "preact/hooks";
import { call, type Me, may } from "../api.ts";
import { countText } from "../format.ts";
import { Link, PageTitle } from "../parts.tsx";
import { sitePath } from "../router.ts";
import { ContextCurve, type Point } from "./context-curve.tsx";
import { Freshness, LiveMark } from "./freshness.tsx";
import type { Run, RunDetail, RunEvent } from "./night-api.ts";
import { needText, Status } from "./run-card.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunLog } from "./run-log.tsx";
import { Spending } from "./spending.tsx";
import { Timeline } from "./timeline.tsx";
import { useLive } from "./use-live.ts";
import { costText, dayText, moneyText, spanText, tokensText } from "./words.ts";

const pointsOf = (events: readonly RunEvent[]): Point[] =>
  events.flatMap(({ kind, session, at, data }) => {
    const tokens = data["contextTokens"];
    return kind === "usage" && typeof tokens === "number" ? [[session, Date.parse(at), tokens] as Point] : [];
  });

const Figure = ({ label, value, detail }: { label: string; value: string; detail?: string | undefined }) => (
  <div class="figure">
    <dt>{label}</dt>
    <dd>
      {value}
      {detail !== undefined && <span class="quiet"> {detail}</span>}
    </dd>
  </div>
);

const Figures = ({ run }: { run: Run }) => {
  const { report } = run;
  const until = report.endedAt === undefined ? Date.parse(run.reportedAt) : Date.parse(report.endedAt);
  const of = run.windowTokens === undefined ? "" : `of ${tokensText(run.windowTokens)}`;
  return (
    <dl class="figures">
      <Figure label="Session" value={String(report.session)} detail={`of ${report.max}`} />
      <Figure
        label="Cost"
        value={costText(run)}
        detail={run.budgetUsd === undefined ? undefined : `of ${moneyText(run.budgetUsd)}`}
      />
      <Figure
        label="Context"
        value={report.contextTokens === undefined ? "–" : tokensText(report.contextTokens)}
        detail={report.contextTokens === undefined ? undefined : of}
      />
      <Figure
        label="Commits"
        value={String(run.commits)}
        detail={run.commits === 0 ? undefined : `+${run.insertions} −${run.deletions}`}
      />
      <Figure label="Duration" value={spanText(until - Date.parse(run.startedAt))} />
    </dl>
  );
};

const Verdict = ({ run }: { run: Run }) => {
  const { verdict, report } = run;
  const reason = report.reason;
  if (verdict === undefined && reason === undefined) return null;
  // The reasons of a verdict stand below, one by one.
  const isSaid = verdict?.reasons.some((each) => reason?.includes(each)) === true;
  const tone = report.status === "complete" ? "good" : run.need === undefined ? "" : "warn";
  return (
    <div class={`notice ${tone}`}>
      <p>
        <strong>{verdict ? `Verdict: ${verdict.verdict}` : "How it ended"}</strong>
        {reason !== undefined && !isSaid && <>: {reason}</>}
      </p>
      {verdict && verdict.reasons.length > 0 && (
        <ul>
          {verdict.reasons.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {verdict?.receipt !== undefined && (
        <p class="quiet">
          Receipt on {run.host}: <code>{verdict.receipt}</code>
        </p>
      )}
    </div>
  );
};

const PUBLISHED: Readonly<Record<string, string>> = {
  active: "live",
  pending: "not live yet",
  superseded: "was live",
  expired: "expired",
};

const PublishedSites = ({ published }: Pick<RunDetail, "published">) =>
  published.length === 0 ? null : (
    <section class="stack tight" aria-labelledby="published-title">
      <h2 id="published-title">Published</h2>
      <ul class="plain-list stack tight">
        {published.map(({ site, deployment, status, createdAt, files, url }) => (
          <li key={deployment}>
            {url === undefined ? site : <a href={url}>{site}</a>}{" "}
            <span class="quiet">
              {PUBLISHED[status] ?? status} · {countText(files, "file")} · {dayText(createdAt)} ·{" "}
            </span>
            <Link to={sitePath(site)}>History</Link>
          </li>
        ))}
      </ul>
    </section>
  );

/** Everything about a run: its sessions, what they cost, what came of them, and its log as it goes on. */
export const RunPage = ({ id, me }: { id: string; me: Me }) => {
  const onLog = useRef<() => void>(() => {});
  const live = useLive(id, {
    load: () => call(({ api }) => api.night.runs({ id }).get()),
    stream: `/api/night/stream?run=${id}`,
    onKinds: (kinds) => {
      if (kinds.some((kind) => kind === "log" || kind === "all" || kind === "elsewhere")) onLog.current();
    },
  });
  const detail = live.value;
  const points = detail ? pointsOf(detail.events) : [];
  const run = detail?.run;
  return (
    <main class="stack night">
      <nav aria-label="Breadcrumb">
        <Link to="/app">Night</Link> <span aria-hidden="true">/</span>{" "}
        <span aria-current="page">{run?.worker ?? "Run"}</span>
      </nav>
      <div class="night-head">
        <PageTitle title={run?.worker ?? "Run"}>{run?.worker ?? "Run"}</PageTitle>
        {run && <Status run={run} />}
        <LiveMark isLive={live.isLive} />
      </div>
      <Freshness live={live} />
      {detail && run && (
        <>
          <div class="stack tight">
            <p class="task">{run.report.task}</p>
            <p class="quiet">
              {run.project} on {run.host} · {run.report.agent}
              {run.report.model !== undefined && <> · {run.report.model}</>} · began {dayText(run.startedAt)}
            </p>
          </div>
          {run.need !== undefined && run.report.reason === undefined && (
            <p class="notice warn">{needText(run)}</p>
          )}
          <Verdict run={run} />
          <Figures run={run} />
          {may(me, "steer") && <RunActions detail={detail} onAsked={live.reload} />}
          {points.length > 0 && (
            <section class="card stack" aria-labelledby="context-title">
              <h2 id="context-title">Context</h2>
              <ContextCurve run={run} points={points} isLarge />
            </section>
          )}
          <section class="stack" aria-labelledby="sessions-title">
            <h2 id="sessions-title">
              {countText(run.sessions.length, "session")}
              {run.criticStops > 0 && (
                <span class="count"> · the critic stopped {countText(run.criticStops, "action")}</span>
              )}
            </h2>
            <Timeline detail={detail} />
          </section>
          <Spending detail={detail} />
          <PublishedSites published={detail.published} />
          <RunLog id={id} onTold={(load) => (onLog.current = load)} />
          <section class="stack tight" aria-labelledby="where-title">
            <h2 id="where-title">Where it runs</h2>
            <p>
              <code>{run.report.dir}</code> on {run.host}
              {run.report.queueTask !== undefined && (
                <>
                  , for <Link to="/app/queue">task {run.report.queueTask}</Link> of the queue
                </>
              )}
            </p>
            {run.rescued.length > 0 && (
              <p>
                Uncommitted work was saved:{" "}
                {run.rescued.map((ref) => (
                  <code key={ref}>{ref} </code>
                ))}
              </p>
            )}
          </section>
        </>
      )}
    </main>
  );
};
