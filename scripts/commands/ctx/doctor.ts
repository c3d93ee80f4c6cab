import type { Source } from "../../../agents/store.ts";
import { diagnoseSource, repair } from "../../../conversations/doctor.ts";
import { findSource, listConversations, openConversation } from "../../../conversations/find.ts";
import { conversationPorts, type ConversationPorts } from "../../../conversations/ports.ts";
import { plural } from "../../../core/plural.ts";
import { defineCommand } from "../../command/define-command.ts";
import { count, describeClosure } from "./describe.ts";

const RECENT = 20;

const findToCheck = async (
  conversation: string | undefined,
  ports: ConversationPorts,
): Promise<{ sources: Source[]; problems: string[] }> => {
  if (conversation !== undefined) return { sources: [await findSource(conversation, ports)], problems: [] };
  const { sources, problems } = await listConversations(ports);
  return { sources: sources.slice(0, RECENT), problems };
};

const describeRepair = (report: Awaited<ReturnType<typeof repair>>): string[] =>
  "joined" in report
    ? [
        `${plural(report.joined, "message")} ${report.dryRun ? "would be joined" : "joined"} again, about ${count(report.tokens)} tokens`,
      ]
    : [report.dryRun ? "would be taken out:" : "taken out:", ...describeClosure(report.closure)];

export const doctor = defineCommand({
  description:
    "Looks for tool calls without a result, results without a call, a context that begins with an answer, and messages that are cut off by a missing line; without an id in the 20 newest conversations. --fix joins what was cut off, else takes the broken halves out, as ctx forget does. Exit code 1 when something is broken.",
  args: [{ name: "conversation", description: "id, or the beginning of one", isOptional: true }],
  options: {
    fix: { type: "boolean", description: "repair the named conversation" },
    "dry-run": { type: "boolean", description: "with --fix: show what would be taken out" },
  },
  examples: ["ctx doctor", "ctx doctor claude:4a36 --fix"],
  run: async ({ args, options }, { env, reporter }) => {
    const ports = conversationPorts(env);
    if (options.fix) {
      const open = await openConversation(args.conversation, ports);
      const report = await repair(open, { ports, dryRun: options["dry-run"] });
      reporter.answer(report, [
        ...describeRepair(report),
        `go on: ${report.resume}`,
        ...(report.journal === undefined ? [] : [`take it back: ctx undo ${report.journal}`]),
      ]);
      return true;
    }
    const { sources, problems } = await findToCheck(args.conversation, ports);
    const found = [];
    for (const source of sources) found.push(await diagnoseSource(source));
    const broken = found.filter(
      (each) => each.broken.length > 0 || each.cutOff !== undefined || each.unreadable !== undefined,
    );
    reporter.answer(found, [
      ...found.flatMap(({ conversation, broken, remarks, unreadable, cutOff }) => [
        ...(broken.length + remarks.length + (cutOff ?? 0) > 0 ? [reporter.style.bold(conversation)] : []),
        ...(unreadable === undefined ? [] : [`${reporter.style.red("unreadable")}  ${unreadable}`]),
        ...(cutOff === undefined
          ? []
          : [
              `  ${reporter.style.red("broken")}  ${plural(cutOff, "message is", "messages are")} not sent: a line that leads there is missing`,
            ]),
        ...broken.map(({ message, fault }) => `  ${reporter.style.red("broken")}  ${message}: ${fault}`),
        ...remarks.map((remark) => `  ${reporter.style.dim("remark")}  ${remark}`),
      ]),
      `${found.length} checked, ${broken.length} broken${broken.length > 0 ? "; repair one with: ctx doctor <id> --fix" : ""}`,
    ]);
    for (const problem of problems) reporter.note(problem);
    return broken.length + problems.length === 0;
  },
});
