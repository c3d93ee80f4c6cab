import type { ListedWorker } from "../../../tasks/worker/worker-store.ts";
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

/** A status in its colour, with what it is waiting for. */
export const statusText = (worker: ListedWorker, style: Style): string => {
  const { shown } = worker;
  const text = worker.isScripted ? `${shown} (scripted)` : shown;
  if (shown === "complete") return style.green(text);
  if (shown === "running" || shown === "starting" || shown === "stopping") return style.cyan(text);
  if (shown === "failed" || shown === "crashed" || shown === "stalled") return style.red(text);
  return style.yellow(text);
};

export const contextText = ({ context }: ListedWorker): string => {
  if (!context) return "-";
  return context.percent === undefined ? `${context.tokens}` : `${Math.round(context.percent)} %`;
};

export const costText = ({ costUsd }: ListedWorker): string => (costUsd > 0 ? `$${costUsd.toFixed(2)}` : "-");
