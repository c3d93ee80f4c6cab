import { stripVTControlCharacters } from "node:util";
import type { SteerEvent } from "../../../worker/steerer/steer-log.ts";
import { currentSession } from "../../../worker/state/worker-state.ts";
import type { Watched } from "../../../worker/steerer/round.ts";
import { needPerson } from "../../../worker/steerer/steer.ts";
import type { Reporter } from "../../command/reporter.ts";
import { displayWidth, fit, listing } from "../../command/table.ts";
import { agoText, timeText } from "../../../core/people-time.ts";
import { statusText } from "../worker/show-worker.ts";

const KEPT_EVENTS = 8;

/** An event in one line: when, whose, what. */
export const eventLine = (
  { at, worker, type, message }: SteerEvent,
  { style }: Pick<Reporter, "style">,
): string => {
  const text = `${timeText(at)} ${worker === undefined ? "" : `${worker}: `}${message}`;
  if (["gave-up", "restart-failed", "rescue-failed", "round-failed", "error"].includes(type))
    return style.red(text);
  return type === "restart" || type === "cure-stored" ? style.green(text) : text;
};

const row = (
  { worker, restarts, settled, errors }: Watched,
  reporter: Pick<Reporter, "style">,
  nowMs: number,
): string[] => [
  worker.name,
  statusText(worker, reporter.style),
  `${currentSession(worker)}/${worker.max}`,
  restarts === 0 ? "-" : String(restarts),
  errors === 0 ? "-" : String(errors),
  agoText(worker.updatedAt, nowMs),
  settled ?? worker.stopReason ?? worker.dir,
];

/** The watched workers as an aligned table. */
export const watchedTable = (
  watched: readonly Watched[],
  reporter: Pick<Reporter, "style">,
  { columns, nowMs }: { columns: number; nowMs: number },
): string[] =>
  watched.length === 0
    ? ["no worker works in the watched directories"]
    : listing(
        { style: reporter.style, columns },
        ["WORKER", "STATUS", "SESSION", "RESTARTS", "ERRORS", "UPDATED", "WHAT"],
        watched.map((one) => row(one, reporter, nowMs)),
        [4, 3, 2, 5],
      );

type Screen = { columns: number; rows: number };

/** Those that need a person come first; what does not fit the screen is counted. */
const cut = (watched: readonly Watched[], room: number): { shown: Watched[]; more: string[] } => {
  const urgent = new Set(needPerson(watched));
  const sorted = watched.toSorted((a, b) => Number(urgent.has(b)) - Number(urgent.has(a)));
  if (sorted.length <= room) return { shown: sorted, more: [] };
  return { shown: sorted.slice(0, room - 1), more: [`… ${sorted.length - room + 1} more: worker list`] };
};

const FRAME_LINES = 6; // title, header, blank lines, the line of the cursor

/** A table that stays in place on a terminal, with the newest events below it. */
export const createLiveView = (
  reporter: Pick<Reporter, "style">,
  { write, screen, dirs }: { write: (text: string) => void; screen: () => Screen; dirs: readonly string[] },
) => {
  const events: SteerEvent[] = [];
  let watched: readonly Watched[] = [];
  let shownLines = 0;
  let shownOn: Screen = screen();
  const compose = ({ columns, rows }: Screen): string[] => {
    const now = Date.now();
    const { shown, more } = cut(watched, Math.max(2, rows - FRAME_LINES - events.length));
    const title = `steerer  ${dirs.join(", ")}  ${timeText(now)}  Ctrl-C ends it`;
    return [
      title,
      "",
      ...watchedTable(shown, reporter, { columns, nowMs: now }),
      ...more,
      "",
      ...events.map((event) => eventLine(event, reporter)),
    ].map((line) => (displayWidth(line) > columns ? fit(stripVTControlCharacters(line), columns) : line));
  };
  const draw = () => {
    const size = screen();
    const lines = compose(size).slice(0, size.rows - 1);
    const isSameScreen = size.columns === shownOn.columns && size.rows === shownOn.rows;
    // Up to where the last drawing began, then each line over the old one: nothing flickers. A screen of
    // another size has wrapped the old lines, so it is wiped.
    const home = isSameScreen ? (shownLines === 0 ? "" : `\u001B[${shownLines}A`) : "\u001B[2J\u001B[H";
    write(`${home}${lines.map((line) => `\r\u001B[K${line}\n`).join("")}\u001B[J`);
    shownLines = lines.length;
    shownOn = size;
  };
  return {
    draw,
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
