import { getStore, listConversations, openConversation } from "../../../conversations/find.ts";
import { listMessages } from "../../../conversations/list.ts";
import { describeConversations } from "../../../conversations/list-conversations.ts";
import { conversationPorts } from "../../../conversations/ports.ts";
import { AppError } from "../../../core/errors.ts";
import { defineCommand } from "../../command/define-command.ts";
import { CONVERSATION, describeConversation, describeMessage } from "./describe.ts";

const DEFAULT_LIMIT = 20;

type GivenArguments = { conversation?: string | undefined; limit?: number | undefined };

/** With --conversations there is no conversation to name: a number alone is the limit. */
const conversationLimit = ({ conversation, limit }: GivenArguments): number => {
  if (conversation === undefined) return DEFAULT_LIMIT;
  if (limit !== undefined || !/^[1-9]\d*$/.test(conversation))
    throw new AppError(
      "usage",
      `--conversations takes one number, the limit, not ${[conversation, limit].join(" ").trim()}`,
    );
  return Number(conversation);
};

export const list = defineCommand({
  args: [
    CONVERSATION,
    { name: "limit", description: "how many (20)", type: "integer", minimum: 1, isOptional: true },
  ],
  options: {
    all: { type: "boolean", description: "include messages that are not in the context, with the reason" },
    conversations: {
      type: "boolean",
      description: "list conversations, the newest first: id, title, age, messages, tokens, directory",
    },
    agent: { type: "string", description: "with --conversations: of this agent only", complete: "agent" },
  },
  examples: ["ctx list claude:4a36 10", "ctx list --conversations", "ctx list codex:019d --all --json"],
  run: async ({ args, options }, { env, reporter }) => {
    const ports = conversationPorts(env);
    const nowMs = ports.now();
    if (options.conversations) {
      if (options.agent !== undefined) await getStore(options.agent);
      const { sources, problems } = await listConversations(ports, options.agent);
      const listed = await describeConversations(sources.slice(0, conversationLimit(args)), ports);
      for (const problem of [...problems, ...listed.problems]) reporter.note(problem);
      reporter.answer(
        listed.rows,
        listed.rows.flatMap((row) => describeConversation(row, { reporter, nowMs })),
      );
      if (listed.rows.length === 0) reporter.note("no conversations of any known agent on this machine");
      return;
    }
    const { store, conversation } = await openConversation(args.conversation, ports);
    if (options.agent !== undefined)
      throw new AppError("usage", "--agent goes with --conversations; a conversation's id tells its agent");
    const { all } = options;
    const limit = args.limit ?? DEFAULT_LIMIT;
    const rows = listMessages(conversation, { limit, all, charsPerToken: store.charsPerToken });
    if (rows.length === 0) reporter.note(`no messages${all ? "" : " in the context; others: --all"}`);
    reporter.answer(
      rows,
      rows.flatMap((row) => describeMessage(row, { reporter, nowMs })),
    );
  },
});
