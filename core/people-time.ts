import { AppError } from "./errors.ts";

// Times as people say them, in the terminal's own time zone; files and JSON keep UTC.

/** A span: "6 h 12 min", "48 s". */
export const spanText = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
};

/** How long something took that is over in moments: "2.3 s". */
export const secondsText = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** How long ago: "4 min ago". */
export const agoText = (at: string | number | undefined, nowMs: number): string => {
  if (at === undefined) return "-";
  const seconds = Math.max(0, Math.round((nowMs - new Date(at).getTime()) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} days ago`;
};

const two = (value: number): string => String(value).padStart(2, "0");

/** "10:02:11", for what is being watched. */
export const timeText = (time: string | number): string => {
  const at = new Date(time);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
};

/** "10:02", with its day where that is not today, and its year where that is not this one: "21 Nov 22:40". */
export const clockText = (point: string | number, nowMs: number): string => {
  const at = new Date(point);
  const now = new Date(nowMs);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === now.toDateString()) return time;
  const year = at.getFullYear() === now.getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${at.getDate()} ${at.toLocaleString("en", { month: "short" })}${year} ${time}`;
};

const STAMP = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A text with every UTC time in it said as the clock here says it. */
export const localTimes = (text: string, nowMs: number): string =>
  text.replaceAll(STAMP, (stamp) => clockText(stamp, nowMs));

/** @throws AppError `usage` for a `--since` that is no span */
export const sinceMsOf = (text: string, nowMs: number): number => {
  const span = parseSpan(text);
  if (span === undefined)
    throw new AppError("usage", `--since is ${JSON.stringify(text)}; it must be like 90m, 12h or 2d`);
  return nowMs - span;
};

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of "90m", "12h", "2d"; undefined for anything else. */
export const parseSpan = (text: string): number | undefined => {
  const match = /^(\d{1,6})([mhd])$/.exec(text);
  return match ? Number(match[1]) * (UNITS[match[2] ?? ""] ?? 0) : undefined;
};
