import { useState } from "preact/hooks";
import { call, type QueueEvent, type Task } from "../api.ts";
import { Button, Failure, Link, Time } from "../parts.tsx";
import { useWork } from "../use-work.ts";
import { runPath } from "./night-api.ts";
import { capitalized, moneyText } from "./words.ts";

/** Every state in words, with its colour. */
export const STATES: Readonly<Record<string, [string, string]>> = {
  running: ["Running", "run"],
  publishing: ["Publishing", "run"],
  ready: ["Ready", "quiet"],
  waiting: ["Waiting", "quiet"],
  blocked: ["Blocked", "bad"],
  complete: ["Complete", "good"],
  unverified: ["Unverified", "warn"],
  failed: ["Failed", "bad"],
  cancelled: ["Cancelled", "quiet"],
};

const RETRIED: readonly string[] = ["failed", "cancelled", "unverified"];
const ENDED: readonly string[] = ["complete", ...RETRIED];

/** A task waits "for tasks 1, 2". */
const reasonText = ({ state, reason = "" }: Task): string =>
  reason.startsWith("for ") ? `${STATES[state]?.[0] ?? ""} ${reason}` : capitalized(reason);

/** Where it runs and how far it is, in one line. */
const Facts = ({ task }: { task: Task }) => {
  const facts = [
    task.repo ?? task.dir,
    task.runHost === undefined
      ? task.host !== undefined && `only on ${task.host}`
      : `on ${task.runHost}${task.phase === "preparing" ? ", preparing its folder" : ""}`,
    task.session !== undefined && `session ${task.session}/${task.max ?? "?"}`,
    task.costUsd !== undefined && task.costUsd > 0 && moneyText(task.costUsd),
    task.after.length > 0 && `after ${task.after.join(", ")}`,
    task.priority !== 0 && `priority ${task.priority}`,
    task.attempts > 0 && `lost ${task.attempts} of ${task.maxAttempts} times`,
    task.branch !== undefined && `branch ${task.branch}`,
  ].filter((fact) => typeof fact === "string");
  return <p class="quiet facts">{facts.join(" · ")}</p>;
};

const Events = ({ id }: { id: number }) => {
  const [events, setEvents] = useState<QueueEvent[]>();
  const { error, run } = useWork();
  const load = async () => setEvents((await call(({ api }) => api.queue({ id }).get())).events);
  return (
    <details onToggle={(event) => event.currentTarget.open && void run(load)}>
      <summary>
        What happened<span class="sr"> to task {id}</span>
      </summary>
      <Failure error={error} />
      <ol class="stack tight">
        {events?.map(({ at, kind, host, text }, nth) => (
          <li key={nth}>
            {capitalized(kind)}
            {host !== undefined && <> on {host}</>}
            {text !== undefined && <>: {text}</>} <span class="quiet">· </span>
            <Time iso={at} />
          </li>
        ))}
      </ol>
    </details>
  );
};

/** One task of the queue, with what can be done about it. */
export const TaskCard = ({
  task,
  canSteer,
  onAsk,
}: {
  task: Task;
  canSteer: boolean;
  onAsk: (what: "cancel" | "retry") => void;
}) => {
  const [words, tone] = STATES[task.state] ?? [capitalized(task.state), "quiet"];
  const name = ` task ${task.id}`;
  return (
    <li class="card stack tight">
      <div class="run-head">
        <span class={`status ${tone}`}>{words}</span>
        <span class="quiet">
          {task.worker} · task {task.id} · <Time iso={task.endedAt ?? task.startedAt ?? task.addedAt} />
        </span>
      </div>
      <p class="strong">{task.task}</p>
      {task.reason !== undefined && <p>{reasonText(task)}</p>}
      <Facts task={task} />
      {task.run !== undefined && (
        <p>
          <Link to={runPath(task.run)}>
            Open its run<span class="sr"> of task {task.id}</span>
          </Link>
        </p>
      )}
      <Events id={task.id} />
      {canSteer && (
        <div class="row">
          {!ENDED.includes(task.state) && (
            <Button text="Cancel" of={name} class="small plain danger" onClick={() => onAsk("cancel")} />
          )}
          {RETRIED.includes(task.state) && (
            <Button text="Retry" of={name} class="small" onClick={() => onAsk("retry")} />
          )}
        </div>
      )}
    </li>
  );
};
