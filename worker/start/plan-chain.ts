import type { AgentSettings } from "../../agents/driver.ts";
import { AppError } from "../../core/errors.ts";
import { type Link, linkText, parseChain } from "../state/chain.ts";
import { type ChosenAgent, chooseAgent } from "./find-driver.ts";

type Asked = {
  wanted: string | readonly string[] | undefined;
  /** for the first agent, where it is not named with one */
  model: string | undefined;
  onRateLimit: string;
};

export type PlannedChain = { chosen: ChosenAgent; model: string | undefined; chain: Link[] | undefined };

/**
 * The agent a worker begins with and, where several are named, those that stand in for it. Each must be there now, and
 * not only in the middle of the night.
 * @throws AppError `unavailable` for one that is not, `config` for a chain that contradicts itself
 */
export const planChain = async (
  { wanted, model, onRateLimit }: Asked,
  agents: Readonly<Record<string, AgentSettings>>,
  env: Readonly<Record<string, string>>,
): Promise<PlannedChain> => {
  const links = parseChain(wanted);
  const found = await Promise.all(
    (links.length === 0 ? [undefined] : links).map((link) => chooseAgent(link?.agent, agents, env)),
  );
  const chain = found.map(({ id, settings }, index): Link => {
    const its = links[index]?.model ?? (index === 0 ? model : undefined) ?? settings.model;
    return { agent: id, ...(its === undefined ? {} : { model: its }) };
  });
  const [chosen] = found;
  if (!chosen) throw new Error("no agent was chosen");
  if (chain.length === 1) return { chosen, model: chain[0]?.model, chain: undefined };
  const names = chain.map(linkText);
  if (new Set(names).size < names.length)
    throw new AppError("config", `agent lists the same one twice (${names.join(", ")}); name each once`);
  if (/^(?:agent|model):/.test(onRateLimit))
    throw new AppError(
      "config",
      `onRateLimit is ${onRateLimit}, and agent is a chain (${names.join(", ")}) which already says who takes over; remove one of the two`,
    );
  return { chosen, model: chain[0]?.model, chain };
};
