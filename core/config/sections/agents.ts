import { Type } from "../../schema.ts";
import { BudgetSection } from "./budget.ts";
import { oneOf, section, text, whole } from "./fields.ts";

/** `agents.<id>`: how one coding agent is started; every field is optional, the driver knows the rest. */
export const AgentSection = section({
  command: text("Program to start instead of the one on PATH"),
  args: Type.Optional(Type.Array(Type.String(), { description: "Arguments put before the driver's own" })),
  model: text("Model, in the agent's own spelling"),
  env: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "Environment added for this agent" }),
  ),
  contextWindow: whole("Tokens; overrides the window the agent reports", { minimum: 1000 }),
  prices: Type.Optional(
    Type.Record(
      Type.String(),
      section({
        input: Type.Number({ minimum: 0 }),
        cacheRead: Type.Number({ minimum: 0 }),
        cacheWrite: Type.Number({ minimum: 0 }),
        output: Type.Number({ minimum: 0 }),
      }),
      { description: "USD for a million tokens, by model; before the list prices" },
    ),
  ),
  budget: Type.Optional(BudgetSection),
  driver: text("Which driver runs it, when the id is not a driver's own"),
  prompt: oneOf(["stdin", "argument"], "How a `command` agent takes its prompt (default stdin)"),
  protocol: oneOf(
    ["text", "jsonl", "app-server", "exec"],
    "What a `command` agent prints: plain text, or the JSON-lines protocol of docs/agents.md. How Codex is run: `app-server`, or `exec` (default `app-server`, where that version has it)",
  ),
  script: text("Script file of the `scripted` agent"),
  state: text("File in which the `scripted` agent counts its sessions"),
  permissionMode: text(
    "In the agent's own words: permission mode (claude), sandbox mode (codex), approval mode (gemini), mode (agy); without it nothing is asked and nothing forbidden",
  ),
  url: text("Address of an agent that is a server (shelley)"),
});
