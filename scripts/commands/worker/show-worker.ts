import { countUnpriced } from "../../../worker/report/report.ts";
import type { ListedWorker } from "../../../worker/state/worker-store.ts";
import { clockText } from "../../../core/people-time.ts";
import type { Style } from "../../command/style.ts";

/** The colour that a status has in lists. */
export const statusColor = (status: string, style: Style): ((text: string) => string) => {
  if (status === "complete") return style.green;
  if (["running", "starting", "stopping"].includes(status)) return style.cyan;
  return ["failed", "crashed", "stalled"].includes(status) ? style.red : style.yellow;
};

/** A status in its colour, with what it is waiting for. */
export const statusText = ({ status, isScripted, verdict }: ListedWorker, style: Style): string => {
  const notes = [
    ...(status === "complete" && verdict?.accepted ? ["accepted"] : []),
    ...(isScripted ? ["scripted"] : []),
  ];
  return statusColor(status, style)(notes.length > 0 ? `${status} (${notes.join(", ")})` : status);
};

/** What a waiting worker waits for, and how long. */
export const waitingText = ({
  waitingFor = "the rate limit",
  waitingUntil = "",
}: Pick<ListedWorker, "waitingFor" | "waitingUntil">): string =>
  `for ${waitingFor} until ${clockText(waitingUntil, Date.now())}`;

/** "152k tokens": of a window whose size nobody told. */
export const tokensText = (tokens: number): string =>
  tokens < 1000 ? `${tokens} tokens` : `${Math.round(tokens / 1000)}k tokens`;

export const contextText = ({ context }: ListedWorker): string => {
  if (!context) return "-";
  return context.percent === undefined ? tokensText(context.tokens) : `${Math.round(context.percent)} %`;
};

/** "unknown" where sessions are over that told no cost: never a sum that looks like nothing. */
export const costText = (worker: ListedWorker): string => {
  if (worker.costUsd > 0) return `$${worker.costUsd.toFixed(2)}`;
  return countUnpriced(worker) > 0 ? "unknown" : "-";
};
