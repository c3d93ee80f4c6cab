import { useState } from "preact/hooks";
import { call, type Me, may, type QueueOverview, type Task } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { Select } from "../fields.tsx";
import { countText } from "../format.ts";
import { Command, Failure, PageTitle } from "../parts.tsx";
import { useAgain, useLoad } from "../use-load.ts";
import { STATES, TaskCard } from "./queue-task.tsx";

const EVERY_MS = 5_000;

type Asked = { what: "cancel" | "retry"; task: Task };

/** Asks before a task is cancelled or put back, with the choice that each has. */
const Change = ({
  asked: { what, task },
  onDone,
  onClose,
}: {
  asked: Asked;
  onDone: (words: string) => void;
  onClose: () => void;
}) => {
  const isCancel = what === "cancel";
  const isRunning = task.state === "running";
  const send = async (form: FormData) => {
    const isOn = form.get("choice") === "on";
    const after = await call(({ api }) =>
      isCancel
        ? api.queue({ id: task.id }).cancel.post(isOn ? { now: true } : {})
        : api.queue({ id: task.id }).retry.post(isOn ? { fresh: true } : {}),
    );
    onDone(
      isCancel
        ? after.state === "cancelled"
          ? `Task ${task.id} is cancelled.`
          : `Task ${task.id}: its pool has been asked to stop it.`
        : `Task ${task.id} is in the queue again.`,
    );
  };
  return (
    <Dialog
      title={isCancel ? `Cancel task ${task.id}?` : `Retry task ${task.id}?`}
      action={isCancel ? "Cancel the task" : "Retry"}
      tone={isCancel ? "danger" : "primary"}
      dismiss={isCancel ? "Keep it" : "Cancel"}
      onSend={send}
      onClose={onClose}
    >
      <p>
        {isCancel
          ? isRunning
            ? `Its agent on ${task.runHost ?? "its host"} writes a handoff first, then it ends. Tasks that depend on it are blocked.`
            : "It will not run. Tasks that depend on it are blocked."
          : "It continues from its last handoff in the next pool with a free slot."}
      </p>
      {(!isCancel || isRunning) && (
        <label class="check">
          <input type="checkbox" name="choice" />
          {isCancel ? "Stop now, without a handoff" : "Start over, without its handoff"}
        </label>
      )}
    </Dialog>
  );
};

const Pools = ({ pools }: { pools: QueueOverview["pools"] }) =>
  pools.length === 0 ? (
    <p class="quiet">No pool is working on a task.</p>
  ) : (
    <ul class="plain-list row">
      {pools.map(({ pool, host, tasks }) => (
        <li key={pool}>
          <strong>{host}</strong> <span class="quiet">{countText(tasks, "task")}</span>
        </li>
      ))}
    </ul>
  );

const NoQueue = () => (
  <div class="empty stack">
    <p class="strong">This server has no queue</p>
    <p class="quiet">
      A queue hands work to many machines and needs a PostgreSQL database that they share. This server keeps
      its data in a single file. To use a database, start it like this:
    </p>
    <Command text="DATABASE_URL=postgres://user:password@host/database nightshift serve" />
  </div>
);

const EmptyQueue = () => (
  <div class="empty stack">
    <p class="strong">The queue is empty</p>
    <p class="quiet">Add a task, and start a pool on each machine that should work:</p>
    <Command text='nightshift queue add --worker docs --task "Fix the broken links" --repo git@example.com:team/atlas.git' />
    <Command text="nightshift pool --slots 4" />
  </div>
);

const LIMIT = 100;

/** Work for many machines: what runs, waits and ended, and which pools are at it. */
export const QueuePage = ({ me }: { me: Me }) => {
  const [state, setState] = useState<Task["state"] | "">("");
  const [asked, setAsked] = useState<Asked>();
  const [done, setDone] = useState("");
  const query = { limit: LIMIT, ...(state === "" ? {} : { state }) };
  const { value: queue, error, reload } = useLoad(() => call(({ api }) => api.queue.get({ query })), state);
  useAgain(reload, EVERY_MS);
  const canSteer = may(me, "steer");
  const total = Object.values(queue?.counts ?? {}).reduce((sum, count) => sum + count, 0);
  return (
    <main class="stack">
      <PageTitle title="Queue">Queue</PageTitle>
      <Failure error={error} />
      <div role="status" class={done === "" ? "sr" : "notice good"}>
        {done}
      </div>
      {queue?.hasQueue === false && <NoQueue />}
      {queue?.hasQueue && total === 0 && <EmptyQueue />}
      {queue?.hasQueue && total > 0 && (
        <>
          <section class="stack tight" aria-labelledby="pools-title">
            <h2 id="pools-title">Pools at work</h2>
            <Pools pools={queue.pools} />
          </section>
          <Select
            label="Show"
            class="short"
            value={state}
            options={[
              { value: "", text: `All tasks (${total})` },
              ...Object.entries(STATES)
                .filter(([name]) => (queue.counts[name] ?? 0) > 0 || name === state)
                .map(([name, [words]]) => ({ value: name, text: `${words} (${queue.counts[name] ?? 0})` })),
            ]}
            onChange={(name) => setState(name as Task["state"] | "")}
          />
          {queue.tasks.length === 0 && <p class="quiet">No tasks match.</p>}
          <ul class="memories" aria-label="Tasks">
            {queue.tasks.map((task) => (
              <TaskCard
                key={task.id}
                task={task}
                canSteer={canSteer}
                onAsk={(what) => setAsked({ what, task })}
              />
            ))}
          </ul>
          {queue.tasks.length === LIMIT && (
            <p class="quiet">
              These are the first {LIMIT}. All of them: <code>nightshift queue list --limit 10000</code>
            </p>
          )}
        </>
      )}
      {asked && (
        <Change
          asked={asked}
          onDone={(words) => {
            setDone(words);
            void reload();
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </main>
  );
};
