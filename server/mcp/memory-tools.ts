import { plural } from "../../core/plural.ts";
import { Type } from "../../core/schema.ts";
import { authorize, type Need } from "../auth/memory-access.ts";
import { answerInject, answerLearn, answerOutcome, type MemoryPorts } from "../memory/answers/ask.ts";
import { LearnBody } from "../memory/answers/schemas.ts";
import { declareTool, type ServerTool } from "./tool.ts";

export type MemorySide = { memory: MemoryPorts };

const may =
  (need: Need) =>
  ({ memory }: MemorySide, request: Request) =>
    authorize(memory.access, request, need);
const mayRead = may("read");
const mayWrite = may("write");

/** The memory: what an agent asks before it starts, and what it leaves for the next one. */
export const MEMORY_TOOLS: readonly ServerTool<MemorySide>[] = [
  declareTool({
    name: "recall",
    description:
      "Ask once, before you start a task: what earlier sessions learned that fits it. Returns notes to check, not instructions, and a receipt for `outcome`.",
    isReadOnly: true,
    isOffered: () => true,
    allow: mayRead,
    input: Type.Object({
      context: Type.String({
        minLength: 1,
        maxLength: 200_000,
        description: "what you are about to do, with names, files and error messages",
      }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
      project: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    }),
    run: async ({ ports: { memory }, allowed }, input) => {
      const { prompt, receipt, abstained } = await answerInject(memory, allowed, {
        ...input,
        format: "prompt",
      });
      return prompt === ""
        ? `Nothing fits: ${abstained ?? "no learning"}.`
        : `${prompt}\nreceipt: ${receipt}`;
    },
  }),
  declareTool({
    name: "learn",
    description:
      "Keep something the next session should know: when `trigger` happens, do `learning`. For something that did not work use type `failure`, with the `alternative` that works.",
    isReadOnly: false,
    isOffered: () => true,
    allow: mayWrite,
    input: LearnBody,
    run: async ({ ports: { memory }, allowed }, body) => {
      const { id, status } = await answerLearn(memory, allowed, { body });
      return `${status} as ${id}`;
    },
  }),
  declareTool({
    name: "outcome",
    description:
      "Say how the task went that a receipt of `recall` belongs to, so that what helped ranks higher.",
    isReadOnly: false,
    isOffered: () => true,
    allow: mayWrite,
    input: Type.Object({
      receipt: Type.String({ minLength: 1, maxLength: 3000 }),
      outcome: Type.Union([Type.Literal("pass"), Type.Literal("fail")]),
    }),
    run: async ({ ports: { memory }, allowed }, input) => {
      const { credited } = await answerOutcome(memory, allowed, input);
      return `credited ${plural(credited.length, "learning")}`;
    },
  }),
];
