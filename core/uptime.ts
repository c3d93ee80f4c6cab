import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/**
 * Milliseconds since the machine started, its sleep included. Nobody can set this clock, and every process reads
 * the same one, so a moment on it means the same to both ends of a pipe. On Linux to 10 ms, elsewhere to 1 s.
 */
export const uptimeMs = (): number => {
  try {
    // Bun's os.uptime() knows whole seconds only.
    return Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1000;
  } catch {
    return uptime() * 1000;
  }
};
