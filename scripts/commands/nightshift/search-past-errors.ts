import { setTimeout } from "node:timers/promises";

const WAIT_MS = 8_000;
const MEMORIES = 2;
const MOST_TOKENS = 400;

/** History is a help, never a reason for a gate to fail or to wait. */
const inTime = async (search: Promise<string | undefined>): Promise<string | undefined> => {
  const late = new AbortController();
  const answer = await Promise.race([
    search.catch(() => undefined),
    setTimeout(WAIT_MS, undefined, { signal: late.signal }),
  ]).catch(() => undefined);
  late.abort();
  return answer;
};

/**
 * What past conversations of every agent say about an error: notes and excerpts that share most of its words,
 * quoted with source and date, secrets taken out. A gate must not wait for the index of a large history, so
 * it stops asking after a few seconds.
 */
export const searchPastErrors =
  (env: Readonly<Record<string, string | undefined>>, root: string) =>
  async (error: string): Promise<string | undefined> => {
    // Loaded when there is an error to look for: most runs have none.
    const { conversationPorts } = await import("../../../conversations/ports.ts");
    const { recall } = await import("../../../conversations/recall.ts");
    const ports = conversationPorts(env);
    const ask = { text: error, limit: MEMORIES, maxTokens: MOST_TOKENS, isStrongOnly: true };
    const search = async (): Promise<string | undefined> => {
      const here = await recall({ ...ask, project: root }, ports);
      const found = here.prompt === "" ? await recall(ask, ports) : here;
      return found.prompt === "" ? undefined : found.prompt.trimEnd();
    };
    return inTime(search());
  };
