import { readFileSync } from "node:fs";

/** Of this process's own clock, which stands still while the machine sleeps; learnt at each look. */
let offsetMs = 0;

/**
 * Milliseconds that nobody sets and that go on while the machine sleeps. Linux tells them in /proc/uptime;
 * elsewhere the clock of the day has to do.
 */
export const runningTime = (): number => {
  if (process.platform !== "linux") return Date.now();
  try {
    const uptimeMs = Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * 1000;
    offsetMs = uptimeMs - performance.now();
    return uptimeMs;
  } catch {
    return performance.now() + offsetMs; // no descriptor is left for a moment
  }
};
