/** What a worker's state file says it is doing; `crashed` is never written, only derived. */
export type WorkerStatus =
  | "starting"
  | "running"
  | "waiting"
  | "stopping"
  | "stopped"
  | "complete"
  | "unverified"
  | "max-reached"
  | "stalled"
  | "failed";
