import type { Driver } from "../../agents/driver.ts";
import type { Clock } from "../../core/clock.ts";
import type { SessionOutcome } from "../session/session-ports.ts";
import { findFreeLink, firstReleaseMs, heldNow, holdLink, linkText } from "../state/chain.ts";
import type { StateKeeper } from "../state/state-keeper.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import type { WorkerState } from "../state/worker-state.ts";
import { type Next, decideNext } from "./decide-next.ts";
import { findHold } from "./find-hold.ts";
import type { createSpendingLimits } from "./spending-limits.ts";
import type { StartRequest } from "./start-request.ts";
import type { SupervisorPorts } from "./supervisor-ports.ts";

type Switch = { driver: Driver; agent: string | undefined; model: string | undefined };

/** The state of a worker that goes on with another agent or model; a model of the old agent means nothing to the new one. */
const switchAgent = (state: WorkerState, { driver, agent, model }: Switch): WorkerState => {
  const next = { ...state };
  if (agent !== undefined) {
    next.agent = agent;
    next.agentTitle = driver.title;
    next.isScripted = driver.isScripted === true;
    delete next.model;
  }
  if (model !== undefined) next.model = model;
  return next;
};

type Ports = {
  clock: Pick<Clock, "now">;
  keeper: StateKeeper;
  log: Pick<WorkerLog, "line" | "event">;
  getDriver: SupervisorPorts["getDriver"];
  sandboxOf: (agent: string) => NonNullable<WorkerState["sandbox"]>;
  budget: Pick<ReturnType<typeof createSpendingLimits>, "findSpentAgent">;
};

/** Whose turn it is: the agent that works next, with what its prompt says of that; or until when nobody can. */
export type Turn = { driver: Driver; remarks: string[] } | { wait: Extract<Next, { kind: "wait" }> };

const takeOver = (title: string, from: string, why: string): string =>
  `${title} takes over here from ${from} (${why}). The handoff below is all that it leaves you: trust what git and the files say before anything else. What its tools are said to have done has been done; do not do it again.`;

/** Which agent of a worker works when: the first of its chain that is not held; without a chain, its one agent. */
export const createAgentTurns = (
  { clock, keeper, log, getDriver, sandboxOf, budget }: Ports,
  { agents }: Pick<StartRequest, "agents">,
) => {
  const driverOf = (agent: string): Promise<Driver> => getDriver(agent, agents[agent] ?? {});

  const hold = (index: number, held: { untilMs: number; reason: string }): void => {
    keeper.update((state) => ({
      ...state,
      ...(state.chain ? { chain: holdLink(state.chain, index, { ...held, nowMs: clock.now() }) } : {}),
    }));
    const link = keeper.state.chain?.[index];
    if (link) log.line(`${linkText(link)} is held until ${link.heldUntil}: ${held.reason}`);
  };

  /** The first link that is free and has a budget left; those that have none are held to the end of its day or night. */
  const findLink = (): number | undefined => {
    for (;;) {
      const { chain = [] } = keeper.state;
      const index = findFreeLink(chain, clock.now());
      const spent = index === undefined ? undefined : budget.findSpentAgent(chain[index]?.agent ?? "");
      if (index === undefined || !spent) return index;
      hold(index, { untilMs: spent.untilMs, reason: spent.words });
    }
  };

  const go = async (agent: string | undefined, model: string | undefined): Promise<Driver> => {
    const driver = await driverOf(agent ?? keeper.state.agent);
    const sandbox = sandboxOf(agent ?? keeper.state.agent);
    keeper.update((state) => ({ ...switchAgent(state, { driver, agent, model }), sandbox }));
    return driver;
  };

  return {
    /** what comes after a session; a limit, an outage or an agent that only fails is no end while another is free */
    decide: (outcome: SessionOutcome): Next => {
      const nowMs = clock.now();
      const { chain, link = 0 } = keeper.state;
      const held = chain && findHold(keeper.state, outcome, nowMs);
      if (!held) return decideNext(keeper.state, outcome, nowMs);
      hold(link, held);
      if (held.isFailing)
        keeper.update((state) => ({ ...state, circuitsFrom: state.sessions.at(-1)?.number ?? 0 }));
      if (findLink() !== undefined) return decideNext(keeper.state, outcome, nowMs, { hasSubstitute: true });
      const next = decideNext(keeper.state, outcome, nowMs);
      return next.kind === "wait" ? { ...next, untilMs: firstReleaseMs(keeper.state.chain ?? []) } : next;
    },
    /** goes on with another agent or model at a rate limit, without a chain */
    switchAtLimit: async ({ agent, model }: Extract<Next, { kind: "switch" }>): Promise<Driver> => {
      const driver = await go(agent, agent ? agents[agent]?.model : model);
      log.line(`rate limit: going on with ${agent ? driver.title : model}`);
      return driver;
    },
    take: async (driver: Driver): Promise<Turn> => {
      const { chain, link = 0, agentTitle: from } = keeper.state;
      if (!chain) return { driver, remarks: [] };
      const index = findLink();
      if (index === undefined) {
        const untilMs = firstReleaseMs(keeper.state.chain ?? []);
        return { wait: { kind: "wait", untilMs, reason: "an agent of the chain", remarks: [] } };
      }
      const { agent = "", model } = chain[index] ?? {};
      if (index === link) return { driver, remarks: [] };
      const left = keeper.state.chain?.[link];
      const why = (left && heldNow(left, clock.now())) ?? `${linkText({ agent, model })} can work again`;
      const next = await go(agent, model);
      keeper.update((state) => ({ ...state, link: index }));
      log.line(`going on with ${linkText({ agent, model })} after ${from}: ${why}`);
      log.event("agent", { from: link, to: index, agent, ...(model === undefined ? {} : { model }), why });
      return { driver: next, remarks: [takeOver(next.title, from, why)] };
    },
  };
};
