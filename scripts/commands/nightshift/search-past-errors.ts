import { setTimeout } from "node:timers/promises";
import { conversationPorts } from "../../../conversations/ports.ts";
import { searchConversations } from "../../../conversations/search.ts";
import { redactSecrets } from "../../../core/redaction.ts";
import { ago } from "../ctx/describe.ts";

const WAIT_MS = 8_000;

const phrases = (error: string): string[] => {
  const code = /\b[A-Z]{2,}\d{3,}\b/.exec(error)?.[0];
  const words =
    error
      .replace(/^[A-Z]+\d+:\s*/, "")
      .split(/[.;]/)[0]
      ?.trim() ?? "";
  return [words, code ?? ""].filter((phrase) => phrase.length > 3);
};

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
 * Looks an error up in the past conversations of every agent: where it came up before, and what was said
 * then. A gate must not wait for the index of a large history, so it stops asking after a few seconds.
 */
export const searchPastErrors =
  (env: Readonly<Record<string, string | undefined>>, root: string) =>
  async (error: string): Promise<string | undefined> => {
    const ports = conversationPorts(env);
    const search = async (): Promise<string | undefined> => {
      for (const pattern of phrases(error)) {
        const { results } = await searchConversations({ pattern, limit: 2, hitsPerConversation: 2 }, ports);
        const [best] = results.toSorted((a, b) => Number(b.dir === root) - Number(a.dir === root));
        if (!best) continue;
        const when = ago(best.hits[0]?.atMs, ports.now());
        const lines = best.hits.map(({ role, snippet }) => `  ${role}: ${redactSecrets(snippet)}`);
        return [`${best.conversation}${when ? ` (${when})` : ""}, in ${best.dir}:`, ...lines].join("\n");
      }
      return undefined;
    };
    return inTime(search());
  };
