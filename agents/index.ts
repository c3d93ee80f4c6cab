import type { Driver } from "./driver.ts";
import type { SourceLister, Store } from "./store.ts";

/** One coding agent. Its parts are loaded when they are asked for: commands must start fast. */
export type Agent = {
  title: string;
  driver?: () => Promise<Driver>;
  /** reads and edits its conversations */
  store?: () => Promise<Store>;
  /** lists its conversations without opening them; apart from the store, because every search begins with it */
  sources?: () => Promise<SourceLister>;
};

/** Every agent Nightshift knows: a folder here, a line there. Order is the order in which PATH is searched. */
export const AGENTS = {
  claude: {
    title: "Claude Code",
    driver: () => import("./claude/driver.ts").then((module) => module.claudeDriver),
    store: () => import("./claude/store.ts").then((module) => module.claudeStore),
    sources: () => import("./claude/paths.ts").then((module) => ({ files: module.listClaudeSources })),
  },
  codex: {
    title: "Codex CLI",
    driver: () => import("./codex/driver.ts").then((module) => module.codexDriver),
    store: () => import("./codex/store.ts").then((module) => module.codexStore),
    sources: () => import("./codex/paths.ts").then((module) => ({ files: module.listCodexSources })),
  },
  opencode: {
    title: "opencode",
    driver: () => import("./opencode/driver.ts").then((module) => module.opencodeDriver),
    store: () => import("./opencode/store.ts").then((module) => module.opencodeStore),
    sources: () =>
      import("./opencode/paths.ts").then((module) => ({
        files: module.listOpencodeSources,
        databases: module.listOpencodeDatabases,
      })),
  },
  gemini: {
    title: "Gemini CLI",
    driver: () => import("./gemini/driver.ts").then((module) => module.geminiDriver),
    store: () => import("./gemini/store.ts").then((module) => module.geminiStore),
    sources: () => import("./gemini/paths.ts").then((module) => ({ files: module.listGeminiSources })),
  },
  pi: {
    title: "pi",
    driver: () => import("./pi/driver.ts").then((module) => module.piDriver),
    store: () => import("./pi/store.ts").then((module) => module.piStore),
    sources: () => import("./pi/paths.ts").then((module) => ({ files: module.listPiSources })),
  },
  shelley: {
    title: "Shelley",
    driver: () => import("./shelley/driver.ts").then((module) => module.shelleyDriver),
    store: () => import("./shelley/store.ts").then((module) => module.shelleyStore),
    sources: () =>
      import("./shelley/paths.ts").then((module) => ({ databases: module.listShelleyDatabases })),
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
