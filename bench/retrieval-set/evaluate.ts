import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAliases } from "../../server/memory/analysis/aliases.ts";
import { openDatabase } from "../../db/open-database.ts";
import { RELATIVE_TO_BEST } from "../../server/memory/ranking/evidence.ts";
import { type Ranked, retrieve } from "../../server/memory/ranking/retrieve.ts";
import { createSqliteStores } from "../../server/memory/sqlite/store.ts";
import type { MemoryStores } from "../../server/memory/store/store.ts";
import type { SetContext, SetLearning } from "./parse.ts";

/** A context with what the memory's own retrieval makes of it on a real database. */
export type Answered<Context = SetContext> = Context & { ranked: Answer[] };

/** One line of an answer: a learning with the near-duplicates that it stands for. */
export type Answer = { keys: number[]; strength: number; score: number };

/** The memory's stores on an empty database, and how to give them back. */
export type OpenStores = (now: () => number) => Promise<{ stores: MemoryStores; close: () => Promise<void> }>;

export const onSqlite: OpenStores = async (now) => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-retrieval-"));
  const db = openDatabase(folder, { now });
  return {
    stores: createSqliteStores(db, now),
    close: async () => {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Stores a learning of the set; @returns the id that the store gave it */
export const addLearning = async (
  stores: MemoryStores,
  { key, trigger, learning, project }: SetLearning,
  createdAt: number,
): Promise<string> => {
  const added = await stores.learnings.add(
    {
      id: `key-${key}`,
      type: "learning",
      trigger,
      learning,
      ...(project === undefined ? {} : { project }),
      confidence: 1,
      scope: "shared",
      writer: "bench",
      createdAt,
    },
    {},
  );
  return added.learning.id;
};

export const rankAll = async <Context extends { context: string }>(
  learnings: readonly SetLearning[],
  contexts: readonly Context[],
  openStores: OpenStores = onSqlite,
): Promise<Answered<Context>[]> => {
  const now = () => Date.UTC(2026, 10, 20);
  const { stores, close } = await openStores(now);
  try {
    const keys = new Map<string, number>();
    await Promise.all(
      learnings.map(async (one) => {
        keys.set(await addLearning(stores, one, now()), one.key);
      }),
    );
    const ports = { learnings: stores.learnings, aliases: createAliases(), now };
    const answered: Answered<Context>[] = [];
    for (const context of contexts) {
      const { ranked } = await retrieve(ports, {
        context: context.context,
        visibility: { scopes: ["shared"] },
      });
      answered.push({ ...context, ranked: ranked.map((one) => toAnswer(one, keys)) });
    }
    return answered;
  } finally {
    await close();
  }
};

const toAnswer = (
  { learning, strength, score, folded }: Ranked,
  keys: ReadonlyMap<string, number>,
): Answer => ({
  keys: [learning, ...folded.map((one) => one.learning)].map(({ id }) => keys.get(id) ?? -1),
  strength,
  score,
});

export type Figures = { contexts: number; hit1: number; hit3: number; mrr: number };

/** How often the right learning is the first, among the first three, and the mean reciprocal rank (to 10). */
export const figuresOf = (
  answers: readonly { right?: number; answers: readonly (readonly number[])[] }[],
): Figures => {
  const asked = answers.filter(({ right }) => right !== undefined);
  const ranks = asked.map(
    ({ right, answers }) => answers.slice(0, 10).findIndex((keys) => keys.includes(right ?? -1)) + 1,
  );
  const share = (fits: (rank: number) => boolean) => ranks.filter(fits).length / Math.max(1, ranks.length);
  return {
    contexts: asked.length,
    hit1: share((rank) => rank === 1),
    hit3: share((rank) => rank > 0 && rank <= 3),
    mrr: ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / Math.max(1, ranks.length),
  };
};

/** What `/inject` would give at a cut-off. */
export const injectedAt = (answered: Pick<Answered, "ranked">, minStrength: number): number[][] => {
  const best = answered.ranked[0]?.score ?? 0;
  return answered.ranked
    .filter(({ strength, score }) => strength >= minStrength && score >= best * RELATIVE_TO_BEST)
    .map(({ keys }) => keys);
};

/** Share of the contexts without a right answer that are given something all the same. */
export const falseInjections = (answers: readonly Answered[], minStrength: number): number => {
  const none = answers.filter(({ right }) => right === undefined);
  return none.filter((one) => injectedAt(one, minStrength).length > 0).length / Math.max(1, none.length);
};
