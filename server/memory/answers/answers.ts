import { type Static, Type } from "../../../core/schema.ts";
import { LearningShape } from "./schemas.ts";

export const StateShape = Type.Object({
  project: Type.String(),
  runId: Type.String(),
  revision: Type.Integer(),
  status: Type.String(),
  state: Type.Record(Type.String(), Type.Unknown()),
  updatedBy: Type.String(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  resolvedAt: Type.Optional(Type.String()),
  learningId: Type.Optional(Type.String({ description: "the learning that a resolved state was kept as" })),
});
export type StateView = Static<typeof StateShape>;

/** With `explain`, and in a trace: the numbers behind a score. */
export const Explained = Type.Object({
  prior: Type.Number({
    description: "what speaks for it whatever the context: its age, confidence and outcomes",
  }),
  triggerCoverage: Type.Number({ description: "how much of its trigger the context speaks of" }),
  contextCoverage: Type.Number({ description: "how much of the context it speaks of" }),
  matches: Type.Array(
    Type.Object({
      term: Type.String({ description: "a word of the context" }),
      found: Type.String({ description: "what it met in the learning" }),
      field: Type.Union([Type.Literal("trigger"), Type.Literal("learning"), Type.Literal("both")]),
      weight: Type.Number(),
    }),
  ),
});

const Given = Type.Intersect([
  LearningShape,
  Type.Object({
    fix: Type.Optional(LearningShape),
    contradictedBy: Type.Optional(Type.Array(Type.String(), { description: "ids of newer learnings" })),
    standsFor: Type.Optional(Type.Array(Type.String(), { description: "ids of others that say the same" })),
  }),
  Type.Partial(Explained),
]);

export const InjectAnswer = Type.Object({
  injection: Type.Union([Type.String(), Type.Array(Given)]),
  prompt: Type.String(),
  learnings: Type.Array(Given),
  receipt: Type.String(),
  tokens: Type.Integer(),
  abstained: Type.Optional(Type.String({ description: "why nothing is given" })),
  state: Type.Optional(StateShape),
  others: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        trigger: Type.String(),
        score: Type.Number(),
        strength: Type.Number(),
        why: Type.String(),
      }),
      { description: "with `explain`: what was considered and not given" },
    ),
  ),
});
export type InjectAnswer = Static<typeof InjectAnswer>;

export const TraceAnswer = Type.Object({
  candidates: Type.Array(
    Type.Intersect([LearningShape, Explained, Type.Object({ passed_threshold: Type.Boolean() })]),
  ),
  abstained: Type.Optional(Type.String()),
  metadata: Type.Object({
    concepts: Type.Integer(),
    candidates: Type.Integer(),
    passed: Type.Integer(),
  }),
  duration_ms: Type.Number(),
});
export type TraceAnswer = Static<typeof TraceAnswer>;

export const LearnAnswer = Type.Intersect([
  LearningShape,
  Type.Object({
    status: Type.Union([Type.Literal("stored"), Type.Literal("merged"), Type.Literal("replayed")]),
    contradicts: Type.Array(Type.String()),
    notice: Type.Optional(
      Type.String({ description: "it is longer than a prompt holds by default, and is cut there" }),
    ),
  }),
]);

export const OutcomeAnswer = Type.Object({
  receipt: Type.String(),
  outcome: Type.String(),
  credited: Type.Array(Type.String()),
  changed: Type.Boolean(),
});

export const NeighboursAnswer = Type.Object({
  id: Type.String(),
  neighbors: Type.Array(Type.Intersect([LearningShape, Type.Object({ similarity: Type.Number() })])),
});

export const FeedbackAnswer = Type.Intersect([LearningShape, Type.Object({ success: Type.Boolean() })]);

export const DeleteAnswer = Type.Object({
  status: Type.Literal("deleted"),
  success: Type.Boolean(),
  id: Type.String(),
});

export const QueryAnswer = Type.Object({
  learnings: Type.Array(LearningShape),
  hits: Type.Record(Type.String(), Type.Integer()),
});
export type QueryAnswer = Static<typeof QueryAnswer>;
