import type { AgentSettings } from "../agents/driver.ts";
import { type Agent, AGENTS } from "../agents/index.ts";
import type { AgentPlaces, SandboxNeeds } from "../agents/agent.ts";

const registry: Readonly<Record<string, Agent>> = AGENTS;

/** The agents that are programs. */
const known = (): SandboxNeeds[] =>
  Object.values(registry).flatMap(({ sandbox, program }) =>
    sandbox && program !== undefined ? [sandbox] : [],
  );

/** A program of the user's own may be any of the agents in other clothes. */
const ANY: SandboxNeeds = {
  hosts: [...new Set(known().flatMap(({ hosts }) => hosts))],
  variables: [...new Set(known().flatMap(({ variables }) => variables))],
  isServer: false,
  places: (input) => mergePlaces(known().map(({ places }) => places(input))),
};

const mergePlaces = (all: readonly AgentPlaces[]): AgentPlaces => ({
  write: all.flatMap(({ write }) => write),
  protect: all.flatMap(({ protect }) => protect),
  open: all.flatMap(({ open }) => open),
  copy: all.flatMap(({ copy }) => copy),
  settings: all.flatMap(({ settings }) => settings),
});

/** Drivers of programs that only the config names. */
const OF_THE_CONFIG: ReadonlySet<string> = new Set(["command", "acp"]);

/** What the agent behind an id needs inside; undefined for one whose work is done by a server outside. */
export const needsOf = (agent: string, settings: AgentSettings): SandboxNeeds | undefined => {
  const named = typeof settings["driver"] === "string" ? settings["driver"] : agent;
  const id = Object.hasOwn(registry, named) ? named : "command";
  return OF_THE_CONFIG.has(id) ? ANY : registry[id]?.sandbox;
};
