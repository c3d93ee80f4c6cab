import type { ListedWorker } from "../../../worker/state/worker-store.ts";
import type { Style } from "../../command/style.ts";

/** A time as people say it: "4 min ago". */
export const ago = (iso: string | undefined, nowMs: number): string => {
  if (!iso) return "-";
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} days ago`;
};

/** The colour that a status has in lists. */
export const statusColor = (status: string, style: Style): ((text: string) => string) => {
  if (status === "complete") return style.green;
  if (["running", "starting", "stopping"].includes(status)) return style.cyan;
  return ["failed", "crashed", "stalled"].includes(status) ? style.red : style.yellow;
};

/** A status in its colour, with what it is waiting for. */
export const statusText = ({ status, isScripted }: ListedWorker, style: Style): string =>
  statusColor(status, style)(isScripted ? `${status} (scripted)` : status);

export const contextText = ({ context }: ListedWorker): string => {
  if (!context) return "-";
  return context.percent === undefined ? `${context.tokens}` : `${Math.round(context.percent)} %`;
};

export const costText = ({ costUsd }: ListedWorker): string => (costUsd > 0 ? `$${costUsd.toFixed(2)}` : "-");
