import { join } from "node:path";

/** Where everything of one worker lies. */
export const workerFiles = (home: string, name: string) => ({
  home,
  state: join(home, `${name}.json`),
  log: join(home, `${name}.log`),
  events: join(home, `${name}.events.jsonl`),
  folder: join(home, name),
  handoffs: join(home, name, "handoffs"),
  control: join(home, name, "control"),
  /** a folder for each running session, for hook files and the like */
  scratch: join(home, name, "scratch"),
  supervisorLock: join(home, name, "supervisor.lock"),
  /** what the server could not be told yet */
  telling: join(home, name, "telling"),
  /** touched by the supervisor of a pool's task each time it hears that its lease is renewed */
  heartbeat: join(home, name, "heartbeat"),
  /** the rules of a verdict as they stood before the first session */
  seal: join(home, name, "verdict", "seal.json"),
  receipts: join(home, name, "receipts"),
});

export type WorkerFiles = ReturnType<typeof workerFiles>;

/** `001.md`, `002.md`, …: the handoff that session `number` left. */
export const handoffFile = (files: WorkerFiles, number: number): string =>
  join(files.handoffs, `${String(number).padStart(3, "0")}.md`);
