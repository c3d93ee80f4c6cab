import type { SteerEvent } from "../../../tasks/steer/steer-log.ts";
import type { Watched } from "../../../tasks/steer/round.ts";
import { type Reporter, fit, table } from "../../command/reporter.ts";
import { ago, statusText } from "../worker/show-worker.ts";

const KEPT_EVENTS = 8;

/** An event in one line: when, whose, what. */
export const eventLine = (
  { at, worker, type, message }: SteerEvent,
  { style }: Pick<Reporter, "style">,
): string => {
  const text = `${at.slice(11, 19)} ${worker === undefined ? "" : `${worker}: `}${message}`;
  if (["gave-up", "restart-failed", "rescue-failed", "error"].includes(type)) return style.red(text);
  return type === "restart" || type === "cure-stored" ? style.green(text) : text;
};

const row = ({ worker, restarts, settled, errors }: Watched, reporter: Reporter, nowMs: number): string[] => [
  worker.name,
  statusText(worker, reporter.style),
  `${worker.session}/${worker.max}`,
  restarts === 0 ? "-" : String(restarts),
  errors === 0 ? "-" : String(errors),
  ago(worker.updatedAt, nowMs),
  settled ?? worker.stopReason ?? worker.dir,
];

const HEADER = ["WORKER", "STATUS", "SESSION", "RESTARTS", "ERRORS", "UPDATED", "WHAT"];

/** The watched workers as an aligned table. */
export const watchedTable = (watched: readonly Watched[], reporter: Reporter, nowMs: number): string[] =>
  watched.length === 0
    ? ["no worker works in the watched directories"]
    : table(
        [HEADER.map((word) => reporter.style.dim(word)), ...watched.map((one) => row(one, reporter, nowMs))],
        reporter.columns,
      );

/** A table that stays in place on a terminal, with the newest events below it. */
export const createLiveView = (
  reporter: Reporter,
  write: (text: string) => void,
  dirs: readonly string[],
) => {
  const events: SteerEvent[] = [];
  let watched: readonly Watched[] = [];
  let shownLines = 0;
  const draw = () => {
    const now = Date.now();
    const lines = [
      fit(
        `steerer  ${dirs.join(", ")}  ${new Date(now).toTimeString().slice(0, 8)}  Ctrl-C ends it`,
        reporter.columns,
      ),
      "",
      ...watchedTable(watched, reporter, now),
      "",
      ...events.map((event) => fit(eventLine(event, reporter), reporter.columns)),
    ];
    // Up to where the last drawing began, then each line over the old one: nothing flickers.
    const up = shownLines === 0 ? "" : `\u001B[${shownLines}A`;
    write(`${up}${lines.map((line) => `\r\u001B[K${line}\n`).join("")}\u001B[J`);
    shownLines = lines.length;
  };
  return {
    showRound: (now: readonly Watched[]) => {
      watched = now;
      draw();
    },
    showEvent: (event: SteerEvent) => {
      events.push(event);
      events.splice(0, events.length - KEPT_EVENTS);
      draw();
    },
  };
};
