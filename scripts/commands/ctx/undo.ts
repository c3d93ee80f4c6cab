import { conversationPorts } from "../../../conversations/ports.ts";
import { undoLast } from "../../../conversations/undo.ts";
import { plural } from "../../../core/plural.ts";
import { defineCommand } from "../../command/define-command.ts";

export const undo = defineCommand({
  args: [
    {
      name: "what",
      description: "a conversation, or the id ctx forget printed; else the last one",
      isOptional: true,
    },
  ],
  examples: ["ctx undo", "ctx undo claude:4a36"],
  run: async ({ args }, { env, reporter }) => {
    const report = await undoLast(args.what, conversationPorts(env));
    reporter.answer(report, [
      `${plural(report.messages.length, "message is", "messages are")} back in ${report.conversation}: ${report.note}`,
      `go on: ${report.resume}`,
    ]);
  },
});
