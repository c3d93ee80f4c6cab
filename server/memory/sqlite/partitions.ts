import type { Database } from "../../../db/database.ts";
import type { Learning, LearningType, Visibility } from "../store/learning.ts";

/** Which scope, project and type each learning is of, in memory: four bytes for every learning ever stored. */
export type Partitions = {
  /** tells the learnings that may be seen, by number; undefined when that is all of them */
  filterFor: (
    visibility: Visibility,
    types?: readonly LearningType[],
  ) => ((seq: number) => boolean) | undefined;
  /** inside the transaction that makes the change */
  add: (learning: Learning) => void;
  remove: (learning: Learning) => void;
  /** forgets what is remembered, after a transaction that failed */
  forget: () => void;
};

type Kind = { scope: string; project: string | null; type: LearningType };
type Partition = Kind & { at: number; count: number };
type Row = Kind & { seqs: string };

/** the place of learnings that are not there */
const NONE = 0;

export const createPartitions = (db: Database): Partitions => {
  let known: ReturnType<typeof load> | undefined;
  const current = () => (known ??= load(db));

  return {
    filterFor: ({ scopes, project }, types) => {
      const { all, of } = current();
      const isVisible = (one: Partition): boolean =>
        (scopes === "all" || scopes.includes(one.scope)) &&
        (project === undefined || one.project === null || one.project === project) &&
        (types === undefined || types.includes(one.type));
      const visible = new Uint8Array(all.size + 1);
      let hidden = 0;
      for (const one of all.values())
        if (isVisible(one)) visible[one.at] = 1;
        else hidden += one.count;
      if (hidden === 0) return undefined;
      return (seq) => visible[of.get(seq)] === 1;
    },
    add: (learning) => {
      if (!known) return;
      const one = partitionOf(known.all, kindOf(learning));
      one.count += 1;
      known.of.set(learning.seq, one.at);
    },
    remove: (learning) => {
      if (!known) return;
      partitionOf(known.all, kindOf(learning)).count -= 1;
      known.of.set(learning.seq, NONE);
    },
    forget: () => {
      known = undefined;
    },
  };
};

const load = (db: Database) => {
  const all = new Map<string, Partition>();
  const of = createNumbers();
  for (const row of db.all<Row>(
    "SELECT scope, project, type, json_group_array(seq) AS seqs FROM memory_learnings GROUP BY scope, project, type",
  )) {
    const seqs = JSON.parse(row.seqs) as number[];
    const one = partitionOf(all, row);
    one.count = seqs.length;
    for (const seq of seqs) of.set(seq, one.at);
  }
  return { all, of };
};

const kindOf = ({ scope, project, type }: Learning): Kind => ({ scope, project: project ?? null, type });

const partitionOf = (all: Map<string, Partition>, { scope, project, type }: Kind): Partition => {
  const key = JSON.stringify([scope, project, type]);
  let one = all.get(key);
  if (!one) all.set(key, (one = { at: all.size + 1, scope, project, type, count: 0 }));
  return one;
};

/** A number for each of the first natural numbers, 0 where none was set; it grows with the largest. */
const createNumbers = () => {
  let numbers = new Int32Array(1024);
  return {
    get: (at: number): number => numbers[at] ?? 0,
    set: (at: number, value: number): void => {
      if (at >= numbers.length) {
        const larger = new Int32Array(Math.max(at + 1, numbers.length * 2));
        larger.set(numbers);
        numbers = larger;
      }
      numbers[at] = value;
    },
  };
};
