import { listSources, openConversation } from "../../../conversations/find.ts";
import { listMessages, toConversationRow } from "../../../conversations/list.ts";
import { conversationPorts } from "../../../conversations/ports.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { defineCommand } from "../../command/define-command.ts";
import { table } from "../../command/reporter.ts";
import { ago, CONVERSATION, describeMessage } from "./describe.ts";

export const list = defineCommand({
  name: "ctx list",
  summary: "Recent messages, with the ids ctx forget takes",
  args: [
    CONVERSATION,
    { name: "limit", description: "how many (20)", type: "integer", minimum: 1, isOptional: true },
  ],
  options: {
    all: { type: "boolean", description: "messages that are not in the context too, with the reason" },
    conversations: { type: "boolean", description: "list conversations instead of messages" },
    agent: { type: "string", description: "with --conversations: of this agent only", complete: "agent" },
  },
  json: "document",
  examples: ["ctx list claude:4a36 10", "ctx list --conversations", "ctx list codex:019d --all --json"],
  run: async ({ args, options }, { env, reporter }) => {
    const ports = conversationPorts(env);
    // With --conversations there is no conversation to name: a number alone is the limit.
    const only = options.conversations ? Number.parseInt(args.conversation ?? "", 10) : Number.NaN;
    const limit = args.limit ?? (Number.isNaN(only) ? 20 : only);
    const nowMs = ports.now();
    if (options.conversations) {
      const rows = (await listSources(ports, options.agent)).slice(0, limit).map(toConversationRow);
      const lines = table(
        rows.map((row) => [row.id, ago(row.changedMs, nowMs), row.dir ?? ""]),
        reporter.columns,
      );
      reporter.answer(rows, lines.length > 0 ? lines : ["no conversations of any known agent here"]);
      return EXIT.yes;
    }
    const { store, conversation } = await openConversation(args.conversation, ports);
    const all = options.all;
    const rows = listMessages(conversation, { limit, all, charsPerToken: store.charsPerToken });
    reporter.answer(
      rows,
      rows.flatMap((row) => describeMessage(row, { style: reporter.style, nowMs })),
    );
    return EXIT.yes;
  },
});
