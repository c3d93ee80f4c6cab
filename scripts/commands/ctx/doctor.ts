import { diagnose, repair } from "../../../conversations/doctor.ts";
import { conversationId, listSources, openConversation } from "../../../conversations/find.ts";
import { conversationPorts, type ConversationPorts } from "../../../conversations/ports.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { defineCommand } from "../../command/define-command.ts";
import { describeClosure } from "./describe.ts";

const RECENT = 20;

const idsToCheck = async (conversation: string | undefined, ports: ConversationPorts): Promise<string[]> =>
  conversation === undefined
    ? (await listSources(ports)).slice(0, RECENT).map(conversationId)
    : [conversation];

export const doctor = defineCommand({
  name: "ctx doctor",
  summary: "Find and repair broken conversations",
  description:
    "Looks for tool calls without a result, results without a call, and a context that begins with an answer; without an id in the 20 newest conversations. --fix takes the broken halves out, as ctx forget does. Exit code 1 when something is broken.",
  args: [{ name: "conversation", description: "id, or the beginning of one", isOptional: true }],
  options: {
    fix: { type: "boolean", description: "repair the named conversation" },
    "dry-run": { type: "boolean", description: "with --fix: show what would be taken out" },
  },
  json: "document",
  examples: ["ctx doctor", "ctx doctor claude:4a36 --fix"],
  run: async ({ args, options }, { env, reporter }) => {
    const ports = conversationPorts(env);
    if (options.fix) {
      const open = await openConversation(args.conversation, ports);
      const report = await repair(open, { ports, dryRun: options["dry-run"] });
      reporter.answer(report, [
        report.dryRun ? "would be taken out:" : "taken out:",
        ...describeClosure(report.closure),
        `go on: ${report.resume}`,
      ]);
      return EXIT.yes;
    }
    const ids = await idsToCheck(args.conversation, ports);
    const found = [];
    for (const id of ids) found.push(diagnose((await openConversation(id, ports)).conversation));
    const broken = found.filter((each) => each.broken.length > 0);
    reporter.answer(found, [
      ...found.flatMap(({ conversation, broken, remarks }) => [
        ...(broken.length + remarks.length > 0 ? [reporter.style.bold(conversation)] : []),
        ...broken.map(({ message, fault }) => `  ${reporter.style.red("broken")}  ${message}: ${fault}`),
        ...remarks.map((remark) => `  ${reporter.style.dim("remark")}  ${remark}`),
      ]),
      `${found.length} checked, ${broken.length} broken${broken.length > 0 ? "; repair one with: ctx doctor <id> --fix" : ""}`,
    ]);
    return broken.length > 0 ? EXIT.no : EXIT.yes;
  },
});
