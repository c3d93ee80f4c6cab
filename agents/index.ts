import type { Driver } from "./driver.ts";

/** One coding agent. Both halves are loaded when they are asked for: commands must start fast. */
export type Agent = {
  title: string;
  driver?: () => Promise<Driver>;
};

/** Every agent Nightshift knows: a folder here, a line there. Order is the order in which PATH is searched. */
export const AGENTS = {
  claude: {
    title: "Claude Code",
    driver: () => import("./claude/driver.ts").then((module) => module.claudeDriver),
  },
  codex: {
    title: "Codex CLI",
    driver: () => import("./codex/driver.ts").then((module) => module.codexDriver),
  },
  pi: {
    title: "pi",
    driver: () => import("./pi/driver.ts").then((module) => module.piDriver),
  },
  command: {
    title: "A command of your own",
    driver: () => import("./command/driver.ts").then((module) => module.commandDriver),
  },
  scripted: {
    title: "Scripted agent (plays a script, no model)",
    driver: () => import("./scripted/driver.ts").then((module) => module.scriptedDriver),
  },
} satisfies Record<string, Agent>;
