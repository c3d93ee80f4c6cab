import type { Driver } from "./driver.ts";

/** One coding agent. Both halves are loaded when they are asked for: commands must start fast. */
export type Agent = {
  title: string;
  /** environment variable in which the agent tells its tools their conversation, if it does */
  driver?: () => Promise<Driver>;
};

/** Every agent Nightshift knows: a folder here, a line there. Order is the order in which PATH is searched. */
export const AGENTS = {} satisfies Record<string, Agent>;
