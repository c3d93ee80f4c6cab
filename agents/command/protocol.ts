import { Type, Value, type Static, type TSchema } from "../../core/schema.ts";

// The JSON-lines protocol of the `command` driver, both directions. docs/agents.md explains it to those who
// write the other end; unknown fields are ignored so that either side may say more later.

const text = Type.String();
const count = Type.Number({ minimum: 0 });
const optionalCount = Type.Optional(count);

/** What the program writes, one JSON object a line, by the word in its `type`. */
export const PROGRAM_LINES = {
  started: Type.Object({
    type: Type.Literal("started"),
    conversationId: text,
    model: Type.Optional(text),
  }),
  text: Type.Object({ type: Type.Literal("text"), text }),
  "tool-start": Type.Object({
    type: Type.Literal("tool-start"),
    id: text,
    name: text,
    summary: Type.Optional(text),
  }),
  "tool-end": Type.Object({
    type: Type.Literal("tool-end"),
    id: text,
    isError: Type.Optional(Type.Boolean()),
    /** why it failed */
    reason: Type.Optional(text),
  }),
  usage: Type.Object({
    type: Type.Literal("usage"),
    contextTokens: count,
    windowTokens: optionalCount,
    totalCostUsd: optionalCount,
    totalTokens: optionalCount,
    /** asks for `{"type":"confirmed"}` once the supervisor has acted on this figure */
    confirm: Type.Optional(text),
  }),
  "rate-limit": Type.Object({
    type: Type.Literal("rate-limit"),
    message: text,
    resetsAtMs: optionalCount,
  }),
  warning: Type.Object({ type: Type.Literal("warning"), message: text }),
  "turn-end": Type.Object({
    type: Type.Literal("turn-end"),
    reason: Type.Union(
      (["completed", "interrupted", "error", "rate-limit", "limit"] as const).map((reason) =>
        Type.Literal(reason),
      ),
    ),
    message: Type.Optional(text),
  }),
  note: Type.Object({ type: Type.Literal("note"), text }),
} satisfies Record<string, TSchema>;

type ProgramLines = typeof PROGRAM_LINES;
export type ProgramLine = { [Type in keyof ProgramLines]: Static<ProgramLines[Type]> }[keyof ProgramLines];

/** What the supervisor writes to the program's stdin, one JSON object a line. Stdin ends when it is all over. */
export type SupervisorLine =
  | { type: "prompt"; prompt: string; dir: string; model?: string; conversationId?: string }
  | { type: "stop" }
  | { type: "note"; prompt: string }
  | { type: "confirmed"; confirm: string };

const isLineType = (type: unknown): type is keyof ProgramLines =>
  typeof type === "string" && Object.hasOwn(PROGRAM_LINES, type);

/** One line of the program's output; a line that is not of the protocol comes back as the problem with it. */
export const parseProgramLine = (line: string): ProgramLine | { problem: string } => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "not JSON" };
  }
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (!isLineType(type)) return { problem: `no such type: ${JSON.stringify(type) ?? "none"}` };
  const schema: TSchema = PROGRAM_LINES[type];
  const [fault] = Value.Errors(schema, value);
  return fault ? { problem: `${fault.path} ${fault.message}` } : (value as ProgramLine);
};

export const encodeLine = (line: ProgramLine | SupervisorLine): string => `${JSON.stringify(line)}\n`;
