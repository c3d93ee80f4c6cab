/** One agent of a worker's chain, with the model that it is asked for. */
export type Link = { agent: string; model?: string | undefined };

/** A link as the state keeps it: until when it is passed over, and why. */
export type HeldLink = Link & { heldUntil?: string; heldFor?: string };

/** `claude,codex:gpt-x` or the list of a config; undefined where nothing is said. The model is what follows the first colon. */
export const parseChain = (wanted: string | readonly string[] | undefined): Link[] =>
  (typeof wanted === "string" ? wanted.split(",") : (wanted ?? [])).map((text) => {
    const [agent = "", ...model] = text.trim().split(":");
    return model.length === 0 ? { agent } : { agent, model: model.join(":") };
  });

export const linkText = ({ agent, model }: Link): string =>
  model === undefined ? agent : `${agent}:${model}`;

const isFree = ({ heldUntil }: HeldLink, nowMs: number): boolean =>
  heldUntil === undefined || Date.parse(heldUntil) <= nowMs;

/** Why a link is passed over, while it is. */
export const heldNow = (link: HeldLink, nowMs: number): string | undefined =>
  isFree(link, nowMs) ? undefined : link.heldFor;

/** The first link that may work now; undefined while all are held. */
export const findFreeLink = (chain: readonly HeldLink[], nowMs: number): number | undefined => {
  const index = chain.findIndex((link) => isFree(link, nowMs));
  return index < 0 ? undefined : index;
};

/** When the first of them may work again, in milliseconds since the epoch. */
export const firstReleaseMs = (chain: readonly HeldLink[]): number =>
  Math.min(...chain.map(({ heldUntil }) => (heldUntil === undefined ? 0 : Date.parse(heldUntil))));

/** The chain with one link held; those whose time is over are free again. */
export const holdLink = (
  chain: readonly HeldLink[],
  index: number,
  { untilMs, reason, nowMs }: { untilMs: number; reason: string; nowMs: number },
): HeldLink[] =>
  chain.map((link, at) => {
    const { agent, model } = link;
    if (at === index)
      return {
        agent,
        ...(model === undefined ? {} : { model }),
        heldUntil: new Date(untilMs).toISOString(),
        heldFor: reason,
      };
    return isFree(link, nowMs) ? { agent, ...(model === undefined ? {} : { model }) } : link;
  });
