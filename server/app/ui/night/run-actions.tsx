import { useState } from "preact/hooks";
import { call, type Wanted } from "../api.ts";
import { timeText } from "../format.ts";
import { Failure } from "../parts.tsx";
import { Area, Dialog, Field } from "./dialog.tsx";
import { type Command, isActive, type RunDetail } from "./night-api.ts";

const ACTIONS: Readonly<Record<string, string>> = {
  stop: "Stop",
  "stop-now": "Stop now",
  resume: "Resume",
  adjust: "Adjust",
  note: "Note",
  accept: "Accept",
  refuse: "Refuse",
};

const STATES: Readonly<Record<Command["state"], [string, string]>> = {
  sent: ["Sent: waits for the worker's host", "warn"],
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

/** What was filled in and differs from what is; empty fields say nothing. */
const changesIn = (form: FormData, known: Record<string, string>): Omit<Wanted, "action"> =>
  Object.fromEntries(
    [...form.entries()].flatMap(([name, value]) => {
      const text = typeof value === "string" ? value.trim() : "";
      if (text === "" || text === known[name]) return [];
      return [[name, name === "max" || name === "budgetUsd" ? Number(text) : text]];
    }),
  );

const textIn = (form: FormData): string => {
  const text = form.get("text");
  return typeof text === "string" ? text : "";
};

type Open = "stop" | "stop-now" | "resume" | "adjust" | "note" | "accept" | "refuse" | undefined;

/** What a person may ask of the worker: its host fetches it within seconds. */
export const RunActions = ({ detail, onAsked }: { detail: RunDetail; onAsked: () => Promise<void> }) => {
  const { run, commands } = detail;
  const [open, setOpen] = useState<Open>();
  const [error, setError] = useState<unknown>();
  const { report } = run;
  const ask = async (wanted: Wanted) => {
    await call(({ api }) => api.night.runs({ id: run.id }).commands.post(wanted));
    await onAsked();
  };
  const seen = async () => {
    try {
      await call(({ api }) => api.night.runs({ id: run.id }).seen.post());
      await onAsked();
    } catch (failure) {
      setError(failure);
    }
  };
  const close = () => setOpen(undefined);
  const known = {
    max: String(report.max),
    model: report.model ?? "",
    budgetUsd: run.budgetUsd === undefined ? "" : String(run.budgetUsd),
  };
  const isOn = isActive(run);
  const canJudge = !isOn && (report.status === "unverified" || run.verdict !== undefined);
  const limits = (
    <div class="fields">
      <Field name="max" label="Sessions at most" type="number" min="1" max="10000" value={known.max} />
      <Field
        name="budgetUsd"
        label="Budget in USD"
        type="number"
        min="0.01"
        step="0.01"
        value={known.budgetUsd}
      />
      <Field name="model" label="Model" value={known.model} />
    </div>
  );
  return (
    <section class="stack tight" aria-label="Actions">
      <div class="row actions">
        {isOn && (
          <>
            <button type="button" onClick={() => setOpen("note")}>
              Add a note
            </button>
            <button type="button" onClick={() => setOpen("adjust")}>
              Adjust
            </button>
            <button type="button" class="danger" onClick={() => setOpen("stop")}>
              Stop
            </button>
            <button type="button" class="danger" onClick={() => setOpen("stop-now")}>
              Stop now
            </button>
          </>
        )}
        {!isOn && (
          <button type="button" class="primary" onClick={() => setOpen("resume")}>
            Resume
          </button>
        )}
        {canJudge && (
          <>
            <button type="button" onClick={() => setOpen("accept")}>
              Accept its work
            </button>
            <button type="button" class="danger" onClick={() => setOpen("refuse")}>
              Refuse its work
            </button>
          </>
        )}
        {!isOn && run.need !== undefined && (
          <button type="button" class="plain" onClick={() => void seen()}>
            Nothing to do
          </button>
        )}
      </div>
      <Failure error={error} />
      <div role="status">{commands.length > 0 && <Asked commands={commands} />}</div>
      {open === "note" && (
        <Dialog
          title="A note for the next session"
          action="Send the note"
          onClose={close}
          onSend={(form) => ask({ action: "note", text: textIn(form) })}
        >
          <Area name="text" label="Note" required />
        </Dialog>
      )}
      {open === "adjust" && (
        <Dialog
          title={`Adjust ${run.worker}`}
          action="Adjust"
          onClose={close}
          onSend={(form) => ask({ action: "adjust", ...changesIn(form, known) })}
        >
          <p class="quiet">The next session has it.</p>
          {limits}
          <Area name="task" label="Task (empty: as it is)" />
        </Dialog>
      )}
      {open === "resume" && (
        <Dialog
          title={`Resume ${run.worker}`}
          action="Resume"
          onClose={close}
          onSend={(form) => ask({ action: "resume", ...changesIn(form, known) })}
        >
          <p class="quiet">
            It goes on from its last handoff. The steerer on {run.host} does it: it has to be running there.
          </p>
          {limits}
          <Area name="text" label="A note for its next session (optional)" />
        </Dialog>
      )}
      {open === "stop" && (
        <Dialog
          title={`Stop ${run.worker}?`}
          action="Stop"
          tone="danger"
          onClose={close}
          onSend={() => ask({ action: "stop" })}
        >
          <p>Its agent is asked for a handoff first, which takes a few minutes at most. It can be resumed.</p>
        </Dialog>
      )}
      {open === "stop-now" && (
        <Dialog
          title={`Stop ${run.worker} at once?`}
          action="Stop now"
          tone="danger"
          onClose={close}
          onSend={() => ask({ action: "stop-now" })}
        >
          <p>Its agent is ended without a handoff. What is not committed stays in its folder.</p>
        </Dialog>
      )}
      {open === "accept" && (
        <Dialog
          title={`Accept the work of ${run.worker}?`}
          action="Accept"
          onClose={close}
          onSend={(form) => ask({ action: "accept", ...changesIn(form, {}) })}
        >
          <p>Your word stands for what no check could decide. It is signed and kept with the run.</p>
          <Area name="text" label="Why (optional)" />
        </Dialog>
      )}
      {open === "refuse" && (
        <Dialog
          title={`Refuse the work of ${run.worker}?`}
          action="Refuse"
          tone="danger"
          onClose={close}
          onSend={(form) => ask({ action: "refuse", text: textIn(form) })}
        >
          <Area name="text" label="What is wrong with it" required />
        </Dialog>
      )}
    </section>
  );
};
