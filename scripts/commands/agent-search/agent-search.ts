import { getStore } from "../../../conversations/find.ts";
import { conversationPorts } from "../../../conversations/ports.ts";
import { type PassageHit, type SearchAnswer, searchConversations } from "../../../conversations/search.ts";
import { AppError } from "../../../core/errors.ts";
import { plural } from "../../../core/plural.ts";
import { defineCommand } from "../../command/define-command.ts";
import type { Reporter } from "../../command/reporter.ts";
import { describeNothing, describeResult } from "./describe-result.ts";

const DEFAULT_LIMIT = 10;
const DAY_MS = 86_400_000;
const UNITS: Record<string, number> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS };

/** `7d`, `12h`, `2w`, or a date. */
const parseSince = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined) return undefined;
  const [, amount, unit] = /^(\d+)([hdw])$/.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined) return nowMs - Number(amount) * (UNITS[unit] ?? DAY_MS);
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new AppError("usage", `--since ${text} is neither a span (12h, 7d, 2w) nor a date`);
  return ms;
};

/** Hits without the whole texts they were found in. */
const toJson = (answer: SearchAnswer<PassageHit>): SearchAnswer => ({
  ...answer,
  results: answer.results.map((result) => ({
    ...result,
    hits: result.hits.map(({ message, role, kind, atMs, snippet, context }) => ({
      message,
      role,
      kind,
      atMs,
      snippet,
      context,
    })),
  })),
});

/** One line that overwrites itself on a terminal; every tenth of the work elsewhere. */
const showProgress = (reporter: Reporter) => {
  let last = -1;
  return (done: number, total: number) => {
    const tenth = Math.floor((done / total) * 10);
    if (total < 50 || tenth === last) return;
    last = tenth;
    reporter.note(`indexing conversations: ${done} of ${total}`);
  };
};

export const agentSearch = defineCommand({
  description:
    "Searches what was said, what tools were given and what they printed, over every agent's conversations on this machine. Best first: the words as they stand before the words in any order, what was said before what tools printed, and the newest first. Exit code 1 when nothing matches.",
  args: [
    { name: "pattern", description: 'words, "words exactly so", or /regex/flags' },
    {
      name: "limit",
      description: "maximum number of conversations (10)",
      type: "integer",
      minimum: 1,
      isOptional: true,
    },
  ],
  options: {
    agent: { type: "string", description: "only this agent's", complete: "agent" },
    project: {
      type: "string",
      description: "only where the working directory holds this",
      placeholder: "path",
    },
    since: { type: "string", description: "only messages since then: 12h, 7d, 2w or a date" },
    role: {
      type: "string",
      description: "only messages of this role",
      choices: ["user", "assistant", "tool"],
    },
    hits: { type: "integer", description: "hits shown of one conversation", minimum: 1, default: 3 },
    subagents: { type: "boolean", description: "include conversations of sub-agents" },
  },
  examples: [
    "agent-search 'no such column' 5",
    "agent-search '/TS\\d{4}:/' --agent claude --since 7d --json",
  ],
  run: async ({ args, options }, { env, reporter }) => {
    const ports = conversationPorts(env);
    const nowMs = ports.now();
    // An agent that does not exist is named before anything is searched.
    if (options.agent !== undefined) await getStore(options.agent);
    const search = {
      pattern: args.pattern,
      limit: args.limit ?? DEFAULT_LIMIT,
      hitsPerConversation: options.hits,
      agent: options.agent,
      project: options.project,
      sinceMs: parseSince(options.since, nowMs),
      role: options.role,
      includeSubAgents: options.subagents,
    };
    const answer = await searchConversations(search, ports, showProgress(reporter));
    reporter.answer(
      toJson(answer),
      answer.results.flatMap((result) => describeResult(result, { reporter, nowMs })),
    );
    if (answer.noIndex !== undefined)
      reporter.note(
        `the search index could not be updated: ${answer.noIndex}; ${plural(answer.scanned, "conversation")} read for this answer alone`,
      );
    for (const problem of answer.problems) reporter.note(`${reporter.style.yellow("left out:")} ${problem}`);
    if (answer.results.length > 0) return true;
    reporter.note(describeNothing(answer, args.pattern));
    return false;
  },
});
