import { Type } from "../../schema.ts";
import { oneOf, section, text, texts } from "./fields.ts";

const Severity = Type.Union([Type.Literal("HIGH"), Type.Literal("MEDIUM"), Type.Literal("LOW")]);

/** A critic pattern of one's own; its examples are run when the config is loaded. */
export const CriticPatternSection = section({
  id: Type.String({
    pattern: "^[a-z0-9][a-z0-9-]*$",
    description: "Rule id, shown and used by allowances",
  }),
  severity: Severity,
  pattern: Type.String({
    minLength: 1,
    description: "Regular expression, matched clause by clause, ignoring case",
  }),
  message: Type.String({ minLength: 1, description: "What is wrong with it" }),
  suggestion: Type.String({ minLength: 1, description: "What to do instead; must itself pass" }),
  match: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: "Texts it must flag" }),
  noMatch: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    description: "Texts it must not flag",
  }),
});

/** `critic`: the pre-action critic. */
export const CriticSection = section({
  stopAt: oneOf(["HIGH", "MEDIUM", "LOW"], "Least severity that means STOP (default HIGH)"),
  destructive: Type.Optional(
    Type.Boolean({
      description:
        "Judge commands by what they would destroy (rules D1 to D11; default true); every run says when it is off",
    }),
  ),
  patterns: Type.Optional(Type.Array(CriticPatternSection)),
  disable: texts("Built-in rule ids to switch off; every run says so"),
  allow: Type.Optional(
    Type.Array(
      section({
        id: Type.String({ minLength: 1, description: "Rule id that is let through" }),
        until: Type.String({ minLength: 1, description: "ISO date or time at which the allowance ends" }),
        reason: Type.String({ minLength: 1 }),
      }),
    ),
  ),
  log: text(
    "Log of every decision (JSON lines): a .jsonl or .log file in .nightshift/, the git folder or ~/.nightshift",
  ),
});
