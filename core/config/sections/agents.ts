import { Type } from "../../schema.ts";
import { BudgetSection } from "./budget.ts";

/** `agents.<id>`: how one coding agent is started; every field is optional, the driver knows the rest. */
export const AgentSection = Type.Object(
  {
    command: Type.Optional(
      Type.String({ minLength: 1, description: "Program to start instead of the one on PATH" }),
    ),
    args: Type.Optional(Type.Array(Type.String(), { description: "Arguments put before the driver's own" })),
    model: Type.Optional(Type.String({ minLength: 1, description: "Model, in the agent's own spelling" })),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Environment added for this agent" }),
    ),
    contextWindow: Type.Optional(
      Type.Integer({ minimum: 1000, description: "Tokens; overrides the window the agent reports" }),
    ),
    prices: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            input: Type.Number({ minimum: 0 }),
            cacheRead: Type.Number({ minimum: 0 }),
            cacheWrite: Type.Number({ minimum: 0 }),
            output: Type.Number({ minimum: 0 }),
          },
          { additionalProperties: false },
        ),
        { description: "USD for a million tokens, by model; before the list prices" },
      ),
    ),
    budget: Type.Optional(BudgetSection),
    driver: Type.Optional(
      Type.String({ minLength: 1, description: "Which driver runs it, when the id is not a driver's own" }),
    ),
    prompt: Type.Optional(
      Type.Union([Type.Literal("stdin"), Type.Literal("argument")], {
        description: "How a `command` agent takes its prompt (default stdin)",
      }),
    ),
    protocol: Type.Optional(
      Type.Union(
        [Type.Literal("text"), Type.Literal("jsonl"), Type.Literal("app-server"), Type.Literal("exec")],
        {
          description:
            "What a `command` agent prints: plain text, or the JSON-lines protocol of docs/agents.md. How Codex is run: `app-server`, or `exec` (default `app-server`, where that version has it)",
        },
      ),
    ),
    script: Type.Optional(Type.String({ minLength: 1, description: "Script file of the `scripted` agent" })),
    state: Type.Optional(
      Type.String({ minLength: 1, description: "File in which the `scripted` agent counts its sessions" }),
    ),
    permissionMode: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "In the agent's own words: permission mode (claude), sandbox mode (codex), approval mode (gemini), mode (agy); without it nothing is asked and nothing forbidden",
      }),
    ),
    url: Type.Optional(
      Type.String({ minLength: 1, description: "Address of an agent that is a server (shelley)" }),
    ),
  },
  { additionalProperties: false },
);
