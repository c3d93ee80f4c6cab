import { AppError } from "../../../core/errors.ts";
import type { AccessPorts } from "../../auth/memory-access.ts";
import { type Access, maySee, readableScopes, SHARED_SCOPE, writableScope } from "../../auth/scopes.ts";
import { inject, type Injected, type InjectPorts } from "../ranking/inject.ts";
import { learn } from "./learn.ts";
import type { Learning, Visibility } from "../store/learning.ts";
import type { Static } from "../../../core/schema.ts";
import type {
  Explained,
  FeedbackAnswer,
  InjectAnswer,
  LearnAnswer,
  NeighboursAnswer,
  OutcomeAnswer,
  QueryAnswer,
  TraceAnswer,
} from "./answers.ts";
import type { InjectBody, LearnBody, LearningView, QueryBody } from "./schemas.ts";
import { DEFAULT_MAX_TOKENS, noticeOfLength } from "../ranking/render-prompt.ts";
import { type Ranked, retrieve } from "../ranking/retrieve.ts";
import type { MemoryStores } from "../store/store.ts";
import { needsContext, needsReceipt, refuseFaults } from "./meanings.ts";
import { rounded, viewLearning, viewState } from "./views.ts";

/** Everything the memory's routes and its MCP tools need. */
export type MemoryPorts = InjectPorts & {
  stores: MemoryStores;
  access: AccessPorts;
  /** counts a write of this writer; throws `rate-limited` */
  countWrite: (writer: string) => Promise<void>;
  /** told of every /inject, whether anything was given */
  onInjected: (isGiven: boolean) => void;
  /** told after learnings were stored */
  onStored: () => void;
};

const DEFAULT_LIMIT = 5;

export const visibilityOf = (
  access: Access,
  { scopes, project }: { scopes?: readonly string[] | undefined; project?: string | undefined },
): Visibility => ({ scopes: readableScopes(access, scopes), ...(project === undefined ? {} : { project }) });

const contextOf = ({
  context,
  text,
}: {
  context?: string | undefined;
  text?: string | undefined;
}): string => {
  refuseFaults("context is required", needsContext({ context, text }));
  return context ?? text ?? "";
};

export const answerLearn = async (
  ports: MemoryPorts,
  access: Access,
  { body, idempotencyKey }: { body: LearnBody; idempotencyKey?: string | undefined },
): Promise<Static<typeof LearnAnswer>> => {
  await ports.countWrite(access.writer);
  const scope = writableScope(access, body.scope);
  const { learning, status, contradicts } = await learn(
    ports,
    { writer: access.writer, scope },
    idempotencyKey === undefined ? body : { ...body, idempotencyKey },
  );
  if (status === "stored") ports.onStored();
  const notice = noticeOfLength({ ...learning, works: learning.alternative });
  return {
    ...viewLearning(learning),
    status,
    contradicts,
    ...(notice === undefined ? {} : { notice }),
  };
};

export const answerQuery = async (
  ports: MemoryPorts,
  access: Access,
  body: QueryBody,
): Promise<QueryAnswer> => {
  const visibility = visibilityOf(access, body);
  const { ranked } = await retrieve(ports, {
    context: contextOf(body),
    visibility,
    minConfidence: body.min_confidence,
    types: body.types,
    limit: body.limit ?? DEFAULT_LIMIT,
  });
  const learnings = ranked.map(viewRanked);
  const hits: Record<string, number> = {};
  for (const { scope } of learnings) hits[scope] = (hits[scope] ?? 0) + 1;
  return { learnings, hits };
};

const viewRanked = ({ learning, score, strength }: Ranked): LearningView => ({
  ...viewLearning(learning),
  score: rounded(score),
  strength: rounded(strength),
});

const injectFor = (
  ports: MemoryPorts,
  access: Access,
  body: InjectBody & { all?: boolean },
): Promise<Injected> =>
  inject(ports, {
    all: body.all,
    context: contextOf(body),
    visibility: visibilityOf(access, body),
    limit: body.limit ?? DEFAULT_LIMIT,
    types: body.types,
    minConfidence: body.min_confidence,
    minStrength: body.minStrength,
    maxTokens: body.maxTokens ?? DEFAULT_MAX_TOKENS,
    stateOf:
      body.includeState !== false && maySee(access, SHARED_SCOPE) ? (body.project ?? body.runId) : undefined,
  });

export const answerInject = async (
  ports: MemoryPorts,
  access: Access,
  body: InjectBody,
): Promise<InjectAnswer> => {
  const injected = await injectFor(ports, access, body);
  ports.onInjected(injected.chosen.length > 0);
  const learnings = injected.chosen.map((one): InjectAnswer["learnings"][number] => ({
    ...viewRanked(one),
    ...(one.fix ? { fix: viewLearning(one.fix) } : {}),
    ...(one.contradictedBy.length > 0 ? { contradictedBy: one.contradictedBy } : {}),
    ...(one.folded.length > 0 ? { standsFor: one.folded.map(({ learning }) => learning.id) } : {}),
    ...(body.explain ? explain(one) : {}),
  }));
  return {
    injection: body.format === "prompt" || body.format === "learnings" ? injected.prompt : learnings,
    prompt: injected.prompt,
    learnings,
    receipt: injected.receipt,
    tokens: injected.tokens,
    ...(injected.state ? { state: viewState(injected.state) } : {}),
    ...(injected.abstained === undefined ? {} : { abstained: injected.abstained }),
    ...(body.explain
      ? {
          others: injected.passed
            .slice(0, 20)
            .map(({ ranked, why }): NonNullable<InjectAnswer["others"]>[number] => ({
              id: ranked.learning.id,
              trigger: ranked.learning.trigger,
              score: rounded(ranked.score),
              strength: rounded(ranked.strength),
              why,
            })),
        }
      : {}),
  };
};

const explain = ({ relevance, prior, matches }: Ranked): Static<typeof Explained> => ({
  prior: rounded(prior),
  triggerCoverage: rounded(relevance.triggerCoverage),
  contextCoverage: rounded(relevance.contextCoverage),
  matches: matches().map((match) => ({ ...match, weight: rounded(match.weight) })),
});

/** Every candidate with its numbers: what the predecessor called a trace. */
export const answerTrace = async (
  ports: MemoryPorts,
  access: Access,
  body: InjectBody,
): Promise<TraceAnswer> => {
  const startedAt = performance.now();
  const injected = await injectFor(ports, access, { ...body, all: true });
  const { ranked, concepts, candidates } = injected.retrieved;
  const given = new Set(injected.chosen.map(({ learning }) => learning.id));
  return {
    candidates: ranked.map((one): TraceAnswer["candidates"][number] => ({
      ...viewRanked(one),
      ...explain(one),
      passed_threshold: given.has(one.learning.id),
    })),
    ...(injected.abstained === undefined ? {} : { abstained: injected.abstained }),
    metadata: { concepts: concepts.length, candidates, passed: given.size },
    duration_ms: rounded(performance.now() - startedAt),
  };
};

export const getLearning = async (ports: MemoryPorts, access: Access, id: string): Promise<Learning> => {
  const learning = await ports.learnings.find(id, { scopes: access.scopes });
  if (!learning) throw notFound(id);
  return learning;
};

export const notFound = (id: string): AppError => new AppError("not-found", `There is no learning ${id}`);

export const answerNeighbours = async (
  ports: MemoryPorts,
  access: Access,
  { id, limit, threshold }: { id: string; limit: number; threshold: number },
): Promise<Static<typeof NeighboursAnswer>> => {
  const learning = await getLearning(ports, access, id);
  const { ranked } = await retrieve(ports, {
    context: `${learning.trigger}\n${learning.learning}`,
    visibility: { scopes: [learning.scope] },
  });
  const own = ranked.find((one) => one.learning.id === id)?.score ?? ranked[0]?.score ?? 1;
  const neighbors = ranked
    .flatMap((one) => [one, ...one.folded.map((folded) => ({ ...one, ...folded }))])
    .filter((one) => one.learning.id !== id)
    .map((one): Static<typeof NeighboursAnswer>["neighbors"][number] => ({
      ...viewRanked(one),
      similarity: rounded(Math.min(1, one.score / own)),
    }))
    .filter(({ similarity }) => similarity >= threshold)
    .slice(0, limit);
  return { id, neighbors };
};

const CONFIRM = 0.1;
const REJECT = -0.15;
const LEAST = 0.01;

/** Moves a learning's confidence; standing up for it also makes it fresh again. */
export const answerFeedback = async (
  ports: MemoryPorts,
  access: Access,
  { id, verdict }: { id: string; verdict: "confirm" | "reject" | "verify" },
): Promise<Static<typeof FeedbackAnswer>> => {
  await ports.countWrite(access.writer);
  const now = ports.now();
  const changed = await ports.learnings.change(
    id,
    { scopes: access.scopes },
    {
      writer: access.writer,
      apply: ({ confidence, verifiedAt }) => ({
        confidence:
          verdict === "verify"
            ? confidence
            : Math.min(1, Math.max(LEAST, confidence + (verdict === "confirm" ? CONFIRM : REJECT))),
        verifiedAt: verdict === "reject" ? verifiedAt : now,
        updatedAt: now,
      }),
    },
  );
  if (!changed) throw notFound(id);
  return { ...viewLearning(changed), success: true };
};

/** A session that failed says more about what it was told than one that went well, where much else helped. */
const CREDITS = { pass: { helpful: 1, harmful: 0 }, fail: { helpful: 0, harmful: 1 } };

export const answerOutcome = async (
  ports: MemoryPorts,
  access: Access,
  { receipt = "", outcome }: { receipt: string | undefined; outcome: "pass" | "fail" },
): Promise<Static<typeof OutcomeAnswer>> => {
  refuseFaults("receipt is required", needsReceipt({ receipt: receipt || undefined }));
  await ports.countWrite(access.writer);
  const seqs = ports.receipts.read(receipt);
  await requireAll(ports, access, seqs);
  const { credited, changed } = await ports.learnings.credit(seqs, {
    receipt,
    outcome,
    writer: access.writer,
    credit: CREDITS[outcome],
  });
  return { receipt, outcome, credited, changed };
};

/** Whoever reads without a key on the server's machine gets receipts of every scope, and may hand them on. */
const requireAll = async (ports: MemoryPorts, access: Access, seqs: readonly number[]): Promise<void> => {
  if (access.scopes === "all") return;
  const known = await ports.learnings.bySeq(seqs, { scopes: "all" });
  if (known.some(({ learning }) => !maySee(access, learning.scope)))
    throw new AppError(
      "forbidden",
      `The receipt is for learnings of a scope that the key of "${access.writer}" has no access to`,
    );
};
