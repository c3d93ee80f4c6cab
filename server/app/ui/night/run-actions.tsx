import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call, type Wanted } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { Area, Field } from "../fields.tsx";
import { timeText } from "../format.ts";
import { Button, Failure } from "../parts.tsx";
import { useWork } from "../use-work.ts";
import { type Command, isActive, type Run, type RunDetail } from "./night-api.ts";

type Action = Wanted["action"];

const ACTIONS: Readonly<Record<string, string>> = {
  stop: "Stop",
  "stop-now": "Stop now",
  resume: "Resume",
  adjust: "Adjust",
  note: "Note",
  accept: "Accept",
  refuse: "Refuse",
} satisfies Record<Action, string>;

const STATES: Readonly<Record<Command["state"], [string, string]>> = {
  sent: ["Sent: waiting for the worker's host", "warn"],
  received: ["Received", "run"],
  done: ["Done", "good"],
  failed: ["Failed", "bad"],
  expired: ["Nobody fetched it within an hour", "bad"],
};

/** What was asked, and what became of it. */
const Asked = ({ commands }: { commands: Command[] }) => (
  <ul class="asked">
    {commands.slice(0, 5).map(({ id, action, state, detail, createdAt, endedAt }) => {
      const [words, tone] = STATES[state];
      return (
        <li key={id}>
          <span class="strong">{ACTIONS[action] ?? action}</span>
          <span class={`status ${tone}`}>{words}</span>
          {detail !== undefined && <span>{detail}</span>}
          <span class="quiet">{timeText(endedAt ?? createdAt)}</span>
        </li>
      );
    })}
  </ul>
);

const NUMBERS: readonly string[] = ["max", "budgetUsd"];

/** What was filled in and differs from what is; empty fields say nothing. */
const changesIn = (form: FormData, known: Record<string, string>): Omit<Wanted, "action"> =>
  Object.fromEntries(
    [...form.entries()].flatMap(([name, value]) => {
      const text = typeof value === "string" ? value.trim() : "";
      if (text === "" || text === known[name]) return [];
      return [[name, NUMBERS.includes(name) ? Number(text) : text]];
    }),
  );

/** What the dialog's fields hold when it opens. */
const knownOf = ({ report, budgetUsd }: Run) => ({
  max: String(report.max),
  model: report.model ?? "",
  budgetUsd: budgetUsd === undefined ? "" : String(budgetUsd),
});

// Only what a field begins with: news of the worker draw the dialog again while somebody writes in it.
const Limits = ({ run }: { run: Run }) => {
  const { max, model, budgetUsd } = knownOf(run);
  return (
    <div class="fields">
      <Field name="max" label="Maximum sessions" type="number" min="1" max="10000" defaultValue={max} />
      <Field
        name="budgetUsd"
        label="Budget in USD"
        type="number"
        min="0.01"
        step="0.01"
        defaultValue={budgetUsd}
      />
      <Field name="model" label="Model" defaultValue={model} />
    </div>
  );
};

type Question = { title: string; action: string; tone?: "danger"; body: ComponentChildren };

const QUESTIONS: Readonly<Record<Action, (run: Run) => Question>> = {
  note: () => ({
    title: "A note for the next session",
    action: "Send note",
    body: <Area name="text" label="Note" required />,
  }),
  adjust: (run) => ({
    title: `Adjust ${run.worker}`,
    action: "Adjust",
    body: (
      <>
        <p class="quiet">Takes effect with the next session.</p>
        <Limits run={run} />
        <Area name="task" label="Task (leave empty to keep it)" />
      </>
    ),
  }),
  resume: (run) => ({
    title: `Resume ${run.worker}`,
    action: "Resume",
    body: (
      <>
        <p class="quiet">
          It continues from its last handoff. The steerer must be running on {run.host} to resume it.
        </p>
        <Limits run={run} />
        <Area name="text" label="Note for the next session (optional)" />
      </>
    ),
  }),
  stop: ({ worker }) => ({
    title: `Stop ${worker}?`,
    action: "Stop",
    tone: "danger",
    body: (
      <p>Its agent writes a handoff first, which takes a few minutes at most. You can resume it later.</p>
    ),
  }),
  "stop-now": ({ worker }) => ({
    title: `Stop ${worker} now?`,
    action: "Stop now",
    tone: "danger",
    body: <p>Its agent ends without a handoff. Uncommitted work stays in its folder.</p>,
  }),
  accept: ({ worker }) => ({
    title: `Accept the work of ${worker}?`,
    action: "Accept",
    body: (
      <>
        <p>You decide what no check could. Your decision is signed and kept with the run.</p>
        <Area name="text" label="Why (optional)" />
      </>
    ),
  }),
  refuse: ({ worker }) => ({
    title: `Refuse the work of ${worker}?`,
    action: "Refuse",
    tone: "danger",
    body: <Area name="text" label="What is wrong with it" required />,
  }),
};

type Ask = { action: Action; text: string; class?: string };

const buttonsFor = (run: Run): Ask[] => {
  const canJudge = run.report.status === "unverified" || run.verdict !== undefined;
  return isActive(run)
    ? [
        { action: "note", text: "Add a note" },
        { action: "adjust", text: "Adjust" },
        { action: "stop", text: "Stop", class: "danger" },
        { action: "stop-now", text: "Stop now", class: "danger" },
      ]
    : [
        { action: "resume", text: "Resume", class: "primary" },
        ...(canJudge
          ? ([
              { action: "accept", text: "Accept work" },
              { action: "refuse", text: "Refuse work", class: "danger" },
            ] as const)
          : []),
      ];
};

/** What a person may ask of the worker: its host fetches it within seconds. */
export const RunActions = ({ detail, onAsked }: { detail: RunDetail; onAsked: () => Promise<void> }) => {
  const { run, commands } = detail;
  const [action, setAction] = useState<Action>();
  const seen = useWork();
  const dismiss = async () => {
    await call(({ api }) => api.night.runs({ id: run.id }).seen.post());
    await onAsked();
  };
  const question = action && QUESTIONS[action](run);
  return (
    <section class="stack tight" aria-label="Actions">
      <div class="row actions">
        {buttonsFor(run).map(({ action: asked, ...button }) => (
          <Button key={asked} {...button} onClick={() => setAction(asked)} />
        ))}
        {!isActive(run) && run.need !== undefined && (
          <Button text="Dismiss" class="plain" onClick={() => seen.run(dismiss)} />
        )}
      </div>
      <Failure error={seen.error} />
      <div role="status">{commands.length > 0 && <Asked commands={commands} />}</div>
      {action && question && (
        <Dialog
          key={action}
          title={question.title}
          action={question.action}
          tone={question.tone}
          onClose={() => setAction(undefined)}
          onSend={async (form) => {
            const wanted = { action, ...changesIn(form, knownOf(run)) };
            await call(({ api }) => api.night.runs({ id: run.id }).commands.post(wanted));
            await onAsked();
          }}
        >
          {question.body}
        </Dialog>
      )}
    </section>
  );
};
