import { conversationPorts } from "../../../conversations/ports.ts";
import { recall } from "../../../conversations/recall.ts";
import { defineCommand } from "../../command/define-command.ts";

export const agentRecall = defineCommand({
  description:
    "Handoff notes first (of workers, and lines HANDOFF: in conversations), then the best excerpts: quoted as data with source and date, secrets taken out, nothing twice, within the budget. Exit code 1 when nothing is known.",
  args: [
    { name: "text", description: "a task, an error message, a question" },
    {
      name: "limit",
      description: "maximum number of notes and excerpts (5)",
      type: "integer",
      minimum: 1,
      isOptional: true,
    },
  ],
  options: {
    tokens: { type: "integer", description: "budget of the whole text", minimum: 100, default: 2000 },
    project: {
      type: "string",
      description: "only where the working directory holds this",
      placeholder: "path",
    },
    strong: {
      type: "boolean",
      description: "only results that share at least half of the significant words, and at least two",
    },
    without: {
      type: "string",
      description: "leave out a conversation, or a folder of notes; repeatable",
      placeholder: "source",
      repeatable: true,
    },
  },
  examples: [
    "agent-recall 'publishing tests time out' 3",
    'agent-recall "$(npm test 2>&1 | tail -20)" --tokens 1000',
  ],
  run: async ({ args, options }, { env, reporter }) => {
    const { text } = args;
    const found = await recall(
      {
        text,
        limit: args.limit ?? 5,
        maxTokens: options.tokens,
        project: options.project,
        isStrongOnly: options.strong,
        without: options.without,
      },
      conversationPorts(env),
    );
    reporter.answer(found, found.prompt === "" ? [] : found.prompt.trimEnd());
    if (found.prompt === "") reporter.note("nothing found about that");
    return found.prompt !== "";
  },
});
