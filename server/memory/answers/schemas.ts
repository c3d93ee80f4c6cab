import { withMeaning } from "../../../core/meaning.ts";
import { type Static, Type } from "../../../core/schema.ts";
import { hasReadable, needsContext, needsReceipt, needsTime } from "./meanings.ts";

const MAX_CONTEXT = 200_000;
const MAX_LIMIT = 50;

const Text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description });
const Scopes = Type.Array(Text(100, "a scope"), {
  maxItems: 50,
  description: "scopes to look at; default: `shared`, or the scopes of the key",
});
const Confidence = Type.Number({ minimum: 0, maximum: 1 });
const Kind = Type.Union([Type.Literal("learning"), Type.Literal("failure"), Type.Literal("state")]);

export const LearnBody = withMeaning(
  Type.Object(
    {
      trigger: Text(4000, "when this matters"),
      learning: Text(16_000, "what to do then; for a failure: what did not work"),
      confidence: Type.Optional(Confidence),
      type: Type.Optional(Kind),
      alternative: Type.Optional(Text(16_000, "for a failure: what works instead")),
      reason: Type.Optional(Text(4000, "why")),
      source: Type.Optional(Text(1000, "where it comes from")),
      scope: Type.Optional(Text(100, "who may see it; default `shared`")),
      project: Type.Optional(Text(300, "the project it belongs to; default: all of them")),
      marker: Type.Optional(Text(300, "a tag to delete it by: DELETE /learnings?marker=")),
      ttl: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 31_536_000, description: "seconds until it is forgotten" }),
      ),
      idempotencyKey: Type.Optional(Text(200, "repeats of the request with this key change nothing")),
      supersedes: Type.Optional(Text(100, "id of a learning that this one replaces")),
      contradicts: Type.Optional(Text(100, "id of an older learning that is wrong")),
      fixes: Type.Optional(Text(100, "id of the failure that this learning avoids")),
    },
    {
      examples: [
        {
          trigger: "deploying the api on Kubernetes",
          learning: "run the database migration job first",
          confidence: 0.9,
        },
      ],
    },
  ),
  hasReadable,
);
export type LearnBody = Static<typeof LearnBody>;

const asked = {
  context: Type.Optional(Text(MAX_CONTEXT, "what the agent is about to do; `text` is another name of it")),
  text: Type.Optional(Text(MAX_CONTEXT, "the same as `context`")),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: "default 5" })),
  scopes: Type.Optional(Scopes),
  project: Type.Optional(Text(300, "only learnings of this project and of none")),
  types: Type.Optional(Type.Array(Kind, { maxItems: 3 })),
  min_confidence: Type.Optional(Confidence),
};

export const InjectBody = withMeaning(
  Type.Object(
    {
      ...asked,
      format: Type.Optional(
        Type.Union([Type.Literal("prompt"), Type.Literal("structured"), Type.Literal("learnings")], {
          description: "what `injection` is: a prompt text, or (default) an array",
        }),
      ),
      maxTokens: Type.Optional(
        Type.Integer({ minimum: 50, maximum: 100_000, description: "of the prompt; default 2000" }),
      ),
      minStrength: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: "evidence asked for; 0 gives everything that shares a word",
        }),
      ),
      explain: Type.Optional(Type.Boolean({ description: "adds `matches` to each learning and `others`" })),
      includeState: Type.Optional(
        Type.Boolean({
          description: "adds the state of `project` (or `runId`); default: when `project` is given",
        }),
      ),
      runId: Type.Optional(Text(300, "older name of the project whose state is meant")),
    },
    { examples: [{ context: "deploy the api to kubernetes", format: "prompt", limit: 5 }] },
  ),
  needsContext,
);
export type InjectBody = Static<typeof InjectBody>;

export const QueryBody = withMeaning(
  Type.Object(asked, {
    examples: [{ context: "deploy the api to kubernetes", limit: 5 }],
  }),
  needsContext,
);
export type QueryBody = Static<typeof QueryBody>;

/** What a browser agent may teach: the part of `LearnBody` that a tool's input can say. */
export const LEARN_TOOL_BODY = {
  type: "object",
  additionalProperties: false,
  required: ["trigger", "learning"],
  properties: {
    trigger: Text(4000, "when this matters"),
    learning: Text(16_000, "what to do then; for a failure: what did not work"),
    confidence: Confidence,
    type: { type: "string", enum: ["learning", "failure"] },
    reason: Text(4000, "why"),
    project: Text(300, "the project it belongs to; default: all of them"),
  },
};

export const OutcomeBody = withMeaning(
  Type.Object(
    {
      receipt: Type.Optional(Text(3000, "the receipt of the /inject answer")),
      injection_id: Type.Optional(Text(3000, "the same as `receipt`")),
      outcome: Type.Union([Type.Literal("pass"), Type.Literal("fail")]),
    },
    { examples: [{ receipt: "r_3pXk…", outcome: "pass" }] },
  ),
  needsReceipt,
);

export const UndoBody = withMeaning(
  Type.Object(
    {
      since: Type.String({ minLength: 4, maxLength: 40, description: "ISO date and time" }),
      writer: Type.Optional(Text(100, "whose writes; default: the caller's own")),
    },
    { examples: [{ since: "2026-11-20T00:00:00Z", writer: "ci" }] },
  ),
  needsTime,
);

export const KeyBody = Type.Object(
  {
    writer: Type.String({ pattern: "^[\\w.@-]{1,100}$", description: "name that its writes carry" }),
    access: Type.Optional(Type.Union([Type.Literal("read"), Type.Literal("write")])),
    scopes: Type.Optional(Type.Array(Text(100, "a scope"), { minItems: 1, maxItems: 50 })),
  },
  { examples: [{ writer: "ci", access: "write", scopes: ["shared"] }] },
);

/** A project's state: the fields people use, and any other. */
export const StateBody = Type.Object(
  {
    status: Type.Optional(Text(200, "in one word or line")),
    updatedBy: Type.Optional(Text(100, "ignored: the key says who")),
  },
  {
    additionalProperties: true,
    examples: [{ status: "in progress", blockers: ["staging is down"], nextSteps: ["write the migration"] }],
  },
);

export const HandoffBody = Type.Object(
  {
    sessionId: Text(300, "the session that ends; a second handoff of it replaces the first"),
    summary: Type.Optional(Type.String({ maxLength: 20_000 })),
  },
  {
    additionalProperties: true,
    examples: [{ sessionId: "w1-3", summary: "tests pass", whatRemains: ["docs"] }],
  },
);

/** For the description of answers. */
export const LearningShape = Type.Object({
  id: Type.String(),
  type: Kind,
  trigger: Type.String(),
  learning: Type.String(),
  alternative: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  confidence: Type.Number(),
  source: Type.Optional(Type.String()),
  scope: Type.String(),
  project: Type.Optional(Type.String()),
  marker: Type.Optional(Type.String()),
  writer: Type.String(),
  writers: Type.Integer(),
  helpful: Type.Number(),
  harmful: Type.Number(),
  createdAt: Type.String(),
  created_at: Type.String(),
  updatedAt: Type.String(),
  verifiedAt: Type.String(),
  expiresAt: Type.Optional(Type.String()),
  score: Type.Optional(Type.Number()),
  strength: Type.Optional(Type.Number()),
});
export type LearningView = Static<typeof LearningShape>;
