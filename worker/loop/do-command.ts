import { withoutUndefined } from "../../core/without-undefined.ts";
import type { Clock } from "../../core/clock.ts";
import { type WorkerCommand, openCommandLine } from "../telling/command-line.ts";
import type { StartRequest } from "./start-request.ts";
import type { WorkerState } from "../state/worker-state.ts";

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;
const wholeOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
const amountOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;

/** What of a command's arguments a worker can be adjusted by. */
export const adjustmentOf = (args: Record<string, unknown>): Adjustment => {
  const [max, task, model] = [wholeOf(args["max"]), textOf(args["task"]), textOf(args["model"])];
  const budgetUsd = amountOf(args["budgetUsd"]);
  return withoutUndefined({ max, task, model, budgetUsd });
};

type Ports = { clock: Clock; fetch: typeof globalThis.fetch };
type Can = {
  stop: (isNow: boolean) => void;
  adjust: (change: Adjustment) => void;
  tell: (text: string) => void;
};

const WAIT_SECONDS = 20;

/** Does what people ask of a running worker through the server, and says what became of it. */
export const takeCommands = (
  ports: Ports,
  { name, fleet, notes: given = [] }: Pick<StartRequest, "name" | "fleet" | "notes">,
  { stop, adjust, tell }: Can,
) => {
  const stopping: string[] = [];
  let notes = [...given];
  const done = (id: string, detail: string) => line.acknowledge({ id, state: "done", detail });

  const onCommand = ({ id, action, args }: WorkerCommand): void => {
    tell(`requested through the server: ${action}`);
    switch (action) {
      case "stop":
      case "stop-now":
        stopping.push(id);
        return stop(action === "stop-now");
      case "adjust":
        adjust(adjustmentOf(args));
        return done(id, "it applies from the next session on");
      case "note": {
        const text = textOf(args["text"]);
        if (text === undefined) return line.acknowledge({ id, state: "failed", detail: "the note is empty" });
        notes = [...notes, text];
        return done(id, "the next session will read it");
      }
      default:
        line.acknowledge({ id, state: "failed", detail: `a running worker cannot ${action}` });
    }
  };
  const line = openCommandLine(ports, fleet, {
    who: () => ({ worker: name }),
    waitSeconds: WAIT_SECONDS,
    onCommand,
  });
  return {
    /** what a person wants the session to read that begins now; told once */
    takeNotes: (): string[] => {
      const taken = notes.map((note) => `A note from the person you work for: ${note}`);
      notes = [];
      return taken;
    },
    /** The worker has ended, which is what a stop waits for. */
    close: async (status: string): Promise<void> => {
      for (const id of stopping) done(id, `it is ${status}`);
      await line.close();
    },
  };
};

/** What may be changed of a running worker, by `worker adjust` or from the Night page. */
export type Adjustment = {
  max?: number | undefined;
  task?: string | undefined;
  model?: string | undefined;
  budgetUsd?: number | undefined;
};

export const adjustState = (
  state: WorkerState,
  { max, task, model, budgetUsd }: Adjustment,
): WorkerState => ({
  ...state,
  ...withoutUndefined({ max, task, model }),
  ...(budgetUsd === undefined ? {} : { limits: { ...state.limits, costUsd: budgetUsd } }),
});
