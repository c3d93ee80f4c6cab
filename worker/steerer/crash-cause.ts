import { readLastLines } from "../state/follow-log.ts";

const LOOKED_AT = 60;

/**
 * The last words of a supervisor that died of a bug or of memory: what its runtime wrote into the log
 * itself, which has no time in front. Undefined for one that was killed, or went with the machine.
 */
export const findCrashCause = (log: string): string | undefined => {
  const { lines } = readLastLines(log, LOOKED_AT);
  const last = lines.findLastIndex((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z /.test(line));
  const raw = lines.slice(last + 1).filter((line) => line.trim() !== "");
  return (raw.find((line) => /error|fatal|exception|panic/i.test(line)) ?? raw[0])?.trim().slice(0, 300);
};
