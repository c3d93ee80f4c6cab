import type { CommandLine, WorkerCommand } from "../telling/command-line.ts";

/** What may be changed of a worker that runs; the next session has it. */
export type Adjustment = { max?: number; task?: string; model?: string; budgetUsd?: number };

type DoerPorts = Pick<CommandLine, "acknowledge"> & {
  stop: (isNow: boolean) => void;
  adjust: (change: Adjustment) => void;
  note: (text: string) => void;
  tell: (text: string) => void;
};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;
const wholeOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
const amountOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;

/** What of a command's arguments a worker can be adjusted by. */
export const adjustmentOf = (args: Record<string, unknown>): Adjustment => {
  const [max, task, model] = [wholeOf(args["max"]), textOf(args["task"]), textOf(args["model"])];
  const budgetUsd = amountOf(args["budgetUsd"]);
  return {
    ...(max === undefined ? {} : { max }),
    ...(task === undefined ? {} : { task }),
    ...(model === undefined ? {} : { model }),
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
  };
};

/** Does what people ask of a running worker through the server, and says what became of it. */
export const commandDoer = ({ acknowledge, stop, adjust, note, tell }: DoerPorts) => {
  const stopping: string[] = [];
  const done = (id: string, detail: string) => acknowledge({ id, state: "done", detail });

  const take = ({ id, action, args }: WorkerCommand): void => {
    tell(`asked through the server: ${action}`);
    switch (action) {
      case "stop":
      case "stop-now":
        stopping.push(id);
        return stop(action === "stop-now");
      case "adjust":
        adjust(adjustmentOf(args));
        return done(id, "the next session has it");
      case "note": {
        const text = textOf(args["text"]);
        if (text === undefined) return acknowledge({ id, state: "failed", detail: "the note is empty" });
        note(text);
        return done(id, "the next session reads it");
      }
      default:
        acknowledge({ id, state: "failed", detail: `a running worker cannot ${action}` });
    }
  };
  return {
    take,
    /** The worker has ended: that is what a stop waits for. */
    ended: (status: string): void => {
      for (const id of stopping) done(id, `it is ${status}`);
    },
  };
};
