import { forgetMessages, type ForgetReport } from "../../../conversations/forget.ts";
import { openMessages } from "../../../conversations/open-messages.ts";
import { conversationPorts } from "../../../conversations/ports.ts";
import { purgeMessages, type PurgeReport } from "../../../conversations/purge.ts";
import { ERROR_CODES } from "../../../core/error-codes.ts";
import { defineCommand } from "../../command/define-command.ts";
import { count, describeClosure, describeSize } from "./describe.ts";

const describeForget = (report: ForgetReport): string[] => [
  report.dryRun ? "would leave the context:" : "left the context:",
  ...describeClosure(report.closure),
  `freed ${count(report.tokensFreed)} ± ${count(report.tokensFreedError)} tokens; now ${describeSize(report.sizeAfter)}`,
  `prompt cache: ${count(report.cacheTokensLost)} tokens after the cut will be read again once`,
  `how: ${report.lever}`,
  ...(report.dryRun ? [] : [`go on: ${report.resume}`, `take it back: ctx undo ${report.journal}`]),
];

const describePurge = (report: PurgeReport): string[] => [
  report.dryRun
    ? "would be removed permanently:"
    : report.remains.length > 0
      ? "removed from the conversation (no undo):"
      : "removed permanently (no undo):",
  ...describeClosure(report.closure),
  ...report.rewritten.map((path) => `${report.dryRun ? "would rewrite" : "rewritten"}: ${path}`),
  ...report.elsewhere.map((place) => `it is also in ${place}`),
  "copies may remain in backups, in logs and with the model's vendor",
];

export const forget = defineCommand({
  description:
    "A tool call goes with its result and a split message with all its lines; the whole closure is shown. Written by the means each agent has for it, proven by loading the result as the agent does, and kept in a journal for ctx undo.",
  args: [
    {
      name: "message",
      description: "ids as ctx list, ctx search and agent-search show them",
      isVariadic: true,
    },
  ],
  options: {
    "dry-run": { type: "boolean", description: "show the closure and the saving, write nothing" },
    conversation: {
      type: "string",
      description: "the conversation, for bare message ids",
      placeholder: "id",
    },
    purge: { type: "boolean", description: "for secrets: remove the bytes for good, without undo" },
  },
  examples: ["ctx forget claude:4a36…/msg_01BA… --dry-run", "ctx forget --conversation codex:019d L12 L14"],
  run: async ({ args, options }, { env, reporter }) => {
    const ports = conversationPorts(env);
    const { open, named } = await openMessages(args.message, { conversation: options.conversation, ports });
    const dryRun = options["dry-run"];
    if (options.purge) {
      const purged = await purgeMessages(open, { named, dryRun, ports });
      reporter.answer(purged, describePurge(purged));
      for (const remains of purged.remains) reporter.note(`${reporter.style.red("not gone:")} ${remains}`);
      if (purged.remains.length > 0) return ERROR_CODES.locked.exit;
    } else {
      const report = await forgetMessages(open, { named, options: { dryRun }, ports });
      reporter.answer(report, describeForget(report));
    }
  },
});
