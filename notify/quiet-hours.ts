import type { Happening } from "../core/happenings.ts";
import type { QuietHours } from "./settings.ts";

const atTime = (nowMs: number, time: string, dayOffset: number): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const date = new Date(nowMs);
  date.setDate(date.getDate() + dayOffset);
  return date.setHours(hours, minutes, 0, 0);
};

/** When quiet hours that hold now are over, by the clock of this machine; undefined where none hold. */
export const quietUntil = (quiet: QuietHours | undefined, nowMs: number): number | undefined => {
  if (!quiet) return undefined;
  for (const day of [-1, 0]) {
    const from = atTime(nowMs, quiet.from, day);
    const to = atTime(nowMs, quiet.to, quiet.to > quiet.from ? day : day + 1);
    if (from <= nowMs && nowMs < to) return to;
  }
  return undefined;
};

export const isHeld = (quiet: QuietHours | undefined, happening: Happening, nowMs: number): boolean =>
  !quiet?.except?.includes(happening) && quietUntil(quiet, nowMs) !== undefined;
