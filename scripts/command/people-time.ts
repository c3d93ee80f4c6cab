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

const two = (value: number): string => String(value).padStart(2, "0");

/** "10:02", with its day where that is not today: "21 Nov 22:40". */
export const clockText = (iso: string, nowMs: number): string => {
  const at = new Date(iso);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${at.getDate()} ${at.toLocaleString("en", { month: "short" })} ${time}`;
};

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of "90m", "12h", "2d"; undefined for anything else. */
export const parseSpan = (text: string): number | undefined => {
  const match = /^(\d{1,6})([mhd])$/.exec(text);
  return match ? Number(match[1]) * (UNITS[match[2] ?? ""] ?? 0) : undefined;
};
