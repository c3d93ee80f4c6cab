import { AppError } from "../../../core/errors.ts";
import type { Access } from "../../auth/scopes.ts";
import type { LearningType } from "../store/learning.ts";
import { type MemoryPorts, notFound } from "../answers/ask.ts";
import { readableScopes } from "../../auth/scopes.ts";
import type { ListFilter } from "../store/store.ts";
import type { DeleteAnswer } from "../answers/answers.ts";
import { LearningShape } from "../answers/schemas.ts";
import { rounded, viewLearning } from "../answers/views.ts";
import { type Static, Type } from "../../../core/schema.ts";

export const ListAnswer = Type.Union([
  Type.Object({
    learnings: Type.Array(LearningShape),
    total: Type.Integer(),
    limit: Type.Integer(),
    offset: Type.Integer(),
  }),
  Type.Array(LearningShape),
]);
export const DeleteManyAnswer = Type.Object({ deleted: Type.Integer(), ids: Type.Array(Type.String()) });
export const StatsAnswer = Type.Object({
  total_learnings: Type.Integer(),
  totalLearnings: Type.Integer(),
  avg_confidence: Type.Number(),
  scopes: Type.Record(Type.String(), Type.Integer()),
  types: Type.Record(Type.String(), Type.Integer()),
});

export type EntryQuery = {
  scope?: string | undefined;
  project?: string | undefined;
  type?: LearningType | undefined;
  marker?: string | undefined;
  writer?: string | undefined;
};

/** Listing shows everything that the caller may see; only asking for context is narrow by default. */
export const filterOf = (access: Access, query: EntryQuery): ListFilter => ({
  visibility: { scopes: query.scope === undefined ? access.scopes : readableScopes(access, [query.scope]) },
  type: query.type,
  project: query.project,
  marker: query.marker,
  writer: query.writer,
});

const DEFAULT_PAGE = 50;

export const answerList = async (
  ports: MemoryPorts,
  access: Access,
  query: EntryQuery & { limit?: number | undefined; offset?: number | undefined; shape?: string | undefined },
): Promise<Static<typeof ListAnswer>> => {
  const page = { limit: query.limit ?? DEFAULT_PAGE, offset: query.offset ?? 0 };
  const { learnings, total } = await ports.learnings.list(filterOf(access, query), page);
  const views = learnings.map(viewLearning);
  return query.shape === "array" ? views : { learnings: views, total, ...page };
};

export const answerDelete = async (
  ports: MemoryPorts,
  access: Access,
  { id, purge }: { id: string; purge: boolean },
): Promise<Static<typeof DeleteAnswer>> => {
  await ports.countWrite(access.writer);
  const ids = await ports.learnings.remove(
    { visibility: { scopes: access.scopes }, id },
    { writer: access.writer, purge },
  );
  if (ids.length === 0) throw notFound(id);
  return { status: "deleted", success: true, id };
};

const DAY_MS = 86_400_000;

export const answerDeleteMany = async (
  ports: MemoryPorts,
  access: Access,
  query: EntryQuery & {
    confidence_lt?: number | undefined;
    not_verified_in_days?: number | undefined;
    purge?: boolean | undefined;
  },
): Promise<Static<typeof DeleteManyAnswer>> => {
  const { purge = false, ...filters } = query;
  if (Object.values(filters).every((value) => value === undefined))
    throw new AppError(
      "bad-data",
      "Name at least one filter: marker, scope, project, type, writer, confidence_lt or not_verified_in_days",
    );
  await ports.countWrite(access.writer);
  const filter: ListFilter = {
    ...filterOf(access, query),
    confidenceBelow: query.confidence_lt,
    verifiedBefore:
      query.not_verified_in_days === undefined
        ? undefined
        : ports.now() - query.not_verified_in_days * DAY_MS,
  };
  const ids = await ports.learnings.remove(filter, { writer: access.writer, purge });
  return { deleted: ids.length, ids };
};

export const answerStats = async (
  ports: MemoryPorts,
  access: Access,
): Promise<Static<typeof StatsAnswer>> => {
  const visibility = { scopes: access.scopes };
  const { total, averageConfidence, byType } = await ports.learnings.summary(visibility);
  return {
    total_learnings: total,
    totalLearnings: total,
    avg_confidence: rounded(averageConfidence),
    scopes: await ports.learnings.countByScope(visibility),
    types: byType,
  };
};
