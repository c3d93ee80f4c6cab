import type { AgentSettings } from "./driver.ts";
import type { TurnSignal } from "./event-stream.ts";
import { createSpending } from "./spending.ts";

type Figures = Extract<TurnSignal, { type: "usage" }>;
type Answering = Extract<TurnSignal, { type: "model" }>;

/** Keeps the figures of one conversation: who answers in it, how large it is and may be, and what it has cost. */
export const createMeter = ({
  contextWindow,
  prices,
}: Pick<AgentSettings, "contextWindow" | "prices"> = {}) => {
  const spending = createSpending(prices);
  let model: string | undefined;
  let windowTokens = contextWindow;
  let contextTokens = 0;

  /** The config's window stands, whatever the agent says. */
  const setWindow = (tokens: number | undefined) => {
    windowTokens = contextWindow ?? tokens;
  };
  const usage = (): Figures => ({
    type: "usage",
    contextTokens,
    source: "live",
    ...spending.spent(),
    windowTokens,
  });
  /** The event of another model than before. */
  const learnModel = (name: string | undefined): Answering[] => {
    if (name === undefined || name === model) return [];
    model = name;
    return [{ type: "model", model: name }];
  };
  return {
    spending,
    model: () => model,
    windowTokens: () => windowTokens,
    contextTokens: () => contextTokens,
    setContext: (tokens: number) => {
      contextTokens = tokens;
    },
    setWindow,
    usage,
    learnModel,
    /** for servers that are asked for a model's window: with it, the figures are told again */
    followModel: async (
      name: string,
      {
        take,
        findWindow,
      }: { take: (signal: TurnSignal) => void; findWindow: () => Promise<number | undefined> },
    ) => {
      const [change] = learnModel(name);
      if (!change) return;
      take(change);
      if (contextWindow === undefined) setWindow(await findWindow());
      if (contextTokens > 0) take(usage());
    },
  };
};
