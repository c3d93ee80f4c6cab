import { join } from "node:path";
import { appendLines } from "../../core/durable-file.ts";
import { encodeEvent, rotate } from "../state/worker-log.ts";
import { steerFolder } from "./claim-dirs.ts";

/** What happened, for programs (`type`, data) and for people (`message`). */
export type SteerEvent = {
  at: string;
  type: string;
  message: string;
  worker?: string;
  dir?: string;
  [key: string]: unknown;
};

export type SteerLog = { tell: (type: string, event: Omit<SteerEvent, "at" | "type">) => void };

export const steerEventsFile = (home: string): string => join(steerFolder(home), "events.jsonl");

/**
 * Every action of the steerer as an event: to the events file (not in a dry run) and to the one who runs
 * it. A full disk ends no steerer.
 */
export const openSteerLog = (
  { home, now, onEvent }: { home: string; now: () => number; onEvent: (event: SteerEvent) => void },
  { isDryRun }: { isDryRun: boolean },
): SteerLog => {
  const path = steerEventsFile(home);
  return {
    tell: (type, data) => {
      const text = encodeEvent({ at: new Date(now()).toISOString(), type, ...data });
      if (!isDryRun)
        try {
          rotate(path);
          appendLines(path, [text]);
        } catch {
          // the event still reaches whoever watches
        }
      onEvent(JSON.parse(text) as SteerEvent);
    },
  };
};
