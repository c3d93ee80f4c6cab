import { openConversation } from "../../../conversations/find.ts";
import { searchMessages } from "../../../conversations/list.ts";
import { conversationPorts } from "../../../conversations/ports.ts";
import { defineCommand } from "../../command/define-command.ts";
import { describeMessage } from "./describe.ts";

export const search = defineCommand({
  description:
    "Upper and lower case are the same; /…/flags is a regular expression. Exit code 1 when nothing matches.",
  args: [
    { name: "conversation", description: "id, or the beginning of one; `-` for the agent's own" },
    { name: "term", description: "words as they stand, or /regex/" },
  ],
  options: { all: { type: "boolean", description: "include messages that are not in the context" } },
  examples: ["ctx search claude:4a36 'permission denied'", "ctx search - '/npm (ci|install)/'"],
  run: async ({ args, options }, { env, reporter }) => {
    const ports = conversationPorts(env);
    const { store, conversation } = await openConversation(args.conversation, ports);
    const found = searchMessages(conversation, {
      term: args.term,
      all: options.all,
      charsPerToken: store.charsPerToken,
    });
    const lines = found.flatMap((row) => describeMessage(row, { reporter, nowMs: ports.now() }));
    reporter.answer(found, lines);
    if (found.length === 0)
      reporter.note(`no message${options.all ? "" : " in the context"} mentions ${args.term}`);
    return found.length > 0;
  },
});
