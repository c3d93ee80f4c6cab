import { openConversation } from "../../../conversations/find.ts";
import { conversationPorts } from "../../../conversations/ports.ts";
import { contextSize, findWindow } from "../../../conversations/size.ts";
import { findForgotten } from "../../../conversations/stale-usage.ts";
import { plural } from "../../../core/plural.ts";
import { defineCommand } from "../../command/define-command.ts";
import { hangOnTerminal } from "../../command/wrap-words.ts";
import { CONVERSATION, describeSize } from "./describe.ts";

export const size = defineCommand({
  description:
    "From the agent's own last usage figure, plus an estimate of what came after it with the tokens per character this conversation has taught. What was forgotten since that figure is taken off. The true figure lies within ± nine times out of ten.",
  args: [CONVERSATION],
  examples: ["ctx size claude:4a36", "ctx size"],
  run: async ({ args }, { env, reporter }) => {
    const ports = conversationPorts(env);
    const open = await openConversation(args.conversation, ports);
    const { store, conversation } = open;
    const measured = contextSize(conversation, {
      charsPerToken: store.charsPerToken,
      forgotten: findForgotten(ports, conversation),
      windowTokens: await findWindow(open, ports),
    });
    const id = `${conversation.agent}:${conversation.id}`;
    reporter.answer({ conversation: id, model: conversation.model, ...measured }, [
      describeSize(measured),
      ...hangOnTerminal(
        "",
        reporter.style.dim(
          `${id}, ${conversation.model ?? "model unknown"}, ${plural(measured.messages, "message")}, from ${measured.source}`,
        ),
        reporter,
      ),
    ]);
  },
});
