import { plural } from "../../../core/plural.ts";
import type { SearchAnswer, SearchResult } from "../../../conversations/search.ts";
import { hangOnTerminal } from "../../command/wrap-words.ts";
import { agoText } from "../../../core/people-time.ts";
import { type Screen, contextWords, oneLine } from "../ctx/describe.ts";

/** A conversation, and for each hit its message and what it says. */
export const describeResult = (
  { conversation, dir, hits }: SearchResult,
  { reporter, nowMs }: { reporter: Screen; nowMs: number },
): string[] => {
  const { style } = reporter;
  const at = hits[0]?.atMs;
  const age = at === undefined ? "" : agoText(at, nowMs);
  const where = oneLine(dir);
  const about = age && where ? `${age}, ${where}` : age || where;
  const lines = hangOnTerminal(`${style.bold(conversation)}  `, style.dim(about), reporter);
  for (const { message, role, context, snippet } of hits) {
    const id = message.slice(message.indexOf("/") + 1);
    const facts = `${role}, ${contextWords(context) || "in context"}`;
    lines.push(
      ...hangOnTerminal(`  ${style.cyan(id)}  `, style.dim(facts), reporter),
      ...hangOnTerminal("    ", snippet, reporter),
    );
  }
  return lines;
};

const SHOWN_CHARS = 200;

export const describeNothing = (
  { conversations }: Pick<SearchAnswer, "conversations">,
  pattern: string,
): string => {
  const shown = pattern.length > SHOWN_CHARS ? `${pattern.slice(0, SHOWN_CHARS)}…` : pattern;
  return `${plural(conversations, "conversation")} searched, none mentions ${oneLine(shown)}`;
};
