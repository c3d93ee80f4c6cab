import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { countText } from "../format.ts";
import { Failure } from "../parts.tsx";
import { useWork } from "../use-work.ts";
import { readText, type RunDetail, type RunEvent, type SessionCard } from "./night-api.ts";
import { Ledger } from "./ledger.tsx";
import { Patch } from "./patch.tsx";
import { Step } from "./step.tsx";
import { clockText, endText, moneyText, spanText, tokensText } from "./words.ts";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** What is long, read when somebody wants to see it. */
const LongText = ({ run, event, label }: { run: string; event: RunEvent; label: string }) => {
  const [text, setText] = useState<string>();
  const { error, run: attempt } = useWork();
  const load = async () => setText(await readText(run, event.number));
  return (
    <details
      class="long"
      onToggle={(toggled) => toggled.currentTarget.open && text === undefined && void attempt(load)}
    >
      <summary>{label}</summary>
      <Failure error={error} />
      {text !== undefined && (
        <pre class="paper" tabIndex={0}>
          {text}
        </pre>
      )}
    </details>
  );
};

const GATES: Readonly<Record<string, [string, string]>> = {
  healthy: ["green", "good"],
  blocked: ["red", "bad"],
  none: ["did not run", "warn"],
};

type Show = (event: RunEvent, run: string) => ComponentChildren;

/** How each kind of event is shown; what is not here is in the log. */
const STEPS: Readonly<Record<string, Show>> = {
  gates: (event, run) => {
    const { data } = event;
    const [words, tone] = GATES[textOf(data["verdict"])] ?? [textOf(data["verdict"]), "quiet"];
    const error = textOf(data["firstError"]) || textOf(data["problem"]);
    return (
      <Step event={event} tone={tone}>
        <p>
          Gates {textOf(data["when"])} the session: <strong>{words}</strong>
        </p>
        {error !== "" && <code>{error}</code>}
        {event.textLength > 0 && <LongText run={run} event={event} label="Gate report" />}
      </Step>
    );
  },
  memory: (event, run) => {
    const count = numberOf(event.data["count"]);
    if (event.data["status"] !== "ok")
      return (
        <Step event={event} tone="warn">
          <p>No memory: {textOf(event.data["problem"]) || textOf(event.data["status"])}</p>
        </Step>
      );
    return (
      <Step event={event}>
        <p>
          {count === 0
            ? "The memory had nothing relevant"
            : `The memory gave ${countText(count, "learning")}`}
        </p>
        {event.textLength > 0 && count > 0 && (
          <LongText run={run} event={event} label="What the agent was told" />
        )}
      </Step>
    );
  },
  "memory-outcome": (event) => {
    const isGood = event.data["outcome"] === "pass";
    const count = numberOf(event.data["credited"]);
    return count === 0 ? null : (
      <Step event={event} tone={isGood ? "good" : "warn"}>
        <p>
          The gates were {isGood ? "green" : "red"} then: {countText(count, "learning")} of the memory{" "}
          {count === 1 ? "counts" : "count"} as {isGood ? "helpful" : "harmful"}
        </p>
      </Step>
    );
  },
  recall: (event) =>
    textsOf(event.data["memories"]).length === 0 ? null : (
      <Step event={event}>
        <p>{countText(textsOf(event.data["memories"]).length, "passage")} of past conversations</p>
      </Step>
    ),
  "critic-stop": (event) => (
    <Step event={event} tone="warn">
      <p>
        The critic stopped an action: <span>{textOf(event.data["reason"])}</span>
      </p>
    </Step>
  ),
  "rate-limit": (event) => (
    <Step event={event} tone="warn">
      <p>Rate limit: {textOf(event.data["message"])}</p>
    </Step>
  ),
  rescue: (event) => (
    <Step event={event}>
      <p>
        Uncommitted work was saved{textOf(event.data["ref"]) !== "" && <>: </>}
        <code>{textOf(event.data["ref"])}</code>
      </p>
    </Step>
  ),
  verdict: (event) => (
    <Step event={event}>
      <p>
        Verdict: <strong>{textOf(event.data["verdict"])}</strong>
      </p>
      {textsOf(event.data["reasons"]).map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
    </Step>
  ),
  ledger: (event) => <Ledger event={event} />,
  commits: (event, run) => (
    <Step event={event} tone="good">
      <p>
        {countText(textsOf(event.data["commits"]).length, "commit")},{" "}
        {countText(numberOf(event.data["files"]), "file")}{" "}
        <span class="plus">+{numberOf(event.data["insertions"])}</span>{" "}
        <span class="minus">−{numberOf(event.data["deletions"])}</span>
      </p>
      <ul class="commits">
        {textsOf(event.data["commits"]).map((commit) => (
          <li key={commit}>
            <code>{commit.split(" ")[0]}</code> {commit.slice(commit.indexOf(" ") + 1)}
          </li>
        ))}
      </ul>
      {event.textLength > 0 && <Patch run={run} event={event} />}
    </Step>
  ),
  handoff: (event, run) => (
    <Step event={event}>
      <LongText run={run} event={event} label="Handoff to the next session" />
    </Step>
  ),
  "session-end": (event) => {
    const error = textOf(event.data["error"]);
    return (
      <Step event={event} tone={error === "" ? "quiet" : "bad"}>
        <p>
          Ended: {endText(textOf(event.data["endReason"]))}
          {error !== "" && <>: {error}</>}
        </p>
        {event.data["acknowledgement"] === "contradicted" && (
          <p>It contradicted its handoff: {textOf(event.data["acknowledged"])}</p>
        )}
      </Step>
    );
  },
};

/** Each ledger is the whole of its session so far: the last one is enough. */
const lastLedger = (events: readonly RunEvent[]): RunEvent[] => {
  const last = events.findLast(({ kind }) => kind === "ledger");
  return events.filter((event) => event.kind !== "ledger" || event === last);
};

/** The session's length against the longest: a bar says more than a figure. */
const Session = ({
  session,
  detail,
  longestMs,
}: {
  session: SessionCard;
  detail: RunDetail;
  longestMs: number;
}) => {
  const { run, events } = detail;
  const own = lastLedger(
    events.filter((event) => event.session === session.number && STEPS[event.kind] !== undefined),
  );
  // The one it began with stays open when the next begins: somebody may be reading it.
  const [isOpen] = useState(session.number === run.sessions.at(-1)?.number);
  const until = Date.parse(session.endedAt ?? run.reportedAt);
  const ms = until - Date.parse(session.startedAt);
  return (
    <li>
      <details class="session" open={isOpen}>
        <summary>
          <span class="strong">Session {session.number}</span>
          <span class="quiet">
            {clockText(session.startedAt)} · {spanText(ms)}
          </span>
          <span>{endText(session.endReason)}</span>
          <span class="session-figures quiet">
            {session.commits > 0 && <>{countText(session.commits, "commit")} · </>}
            {session.tokens !== undefined && <>{tokensText(session.tokens)} tokens · </>}
            {session.costUsd === undefined
              ? session.isUnpriced
                ? "cost unknown"
                : "–"
              : moneyText(session.costUsd)}
          </span>
          <progress
            class="span"
            value={Math.max(ms, longestMs / 100)}
            max={longestMs}
            aria-label={`Session ${session.number} took ${spanText(ms)}`}
          />
        </summary>
        {own.length === 0 ? (
          <p class="quiet">Nothing has happened yet.</p>
        ) : (
          <ol class="steps">{own.map((event) => STEPS[event.kind]?.(event, run.id))}</ol>
        )}
      </details>
    </li>
  );
};

export const Timeline = ({ detail }: { detail: RunDetail }) => {
  const { sessions, reportedAt } = detail.run;
  const longestMs = Math.max(
    1,
    ...sessions.map(({ startedAt, endedAt }) => Date.parse(endedAt ?? reportedAt) - Date.parse(startedAt)),
  );
  return (
    <ol class="sessions">
      {sessions.map((session) => (
        <Session key={session.number} session={session} detail={detail} longestMs={longestMs} />
      ))}
    </ol>
  );
};
