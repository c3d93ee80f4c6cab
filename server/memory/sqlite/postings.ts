import type { Database } from "../../../db/database.ts";

/**
 * The index's postings, read from FTS5 term by term and kept. FTS5 alone cannot rank here: without the
 * texts (`content=''`) its bm25() is 0 for every row, so `ORDER BY rank` gives the oldest ones.
 */
export type Postings = {
  /**
   * Learnings that have one of the terms: when there are more than `limit`, those whose terms are rarest
   * together, and the newest of equals.
   */
  best: (terms: readonly Weighed[], options: BestOptions) => number[];
  /** inside the transaction that makes the change: what is kept follows it, and is not read again */
  add: (seq: number, fields: Fields) => void;
  remove: (seq: number, fields: Fields) => void;
  forget: () => void;
};

export type Weighed = { term: string; rarity: number };
/** the terms of a learning, and those of its trigger */
type Fields = { terms: readonly string[]; trigger: readonly string[] };
type BestOptions = { limit: number; isVisible: ((seq: number) => boolean) | undefined };

/** what is kept at most: four bytes each */
const MAX_KEPT = 4_000_000;
/** what a term in the trigger counts more, as a share of its rarity */
const IN_TRIGGER = 0.5;

type Lists = { all: List; trigger: List };
/** numbers of learnings in ascending order, with room for more */
type List = { seqs: Int32Array; length: number };

export const createPostings = (db: Database): Postings => {
  const lists = new Map<string, Lists>();
  let kept = 0;
  let sums = new Float64Array(1024);

  const drop = (term: string): void => {
    const known = lists.get(term);
    if (!known) return;
    kept -= sizeOf(known);
    lists.delete(term);
  };

  const listsOf = (term: string): Lists => {
    const known = lists.get(term);
    if (known) {
      // The last used ones are at the end: what is dropped first is at the beginning.
      lists.delete(term);
      lists.set(term, known);
      return known;
    }
    const read = (column: string): List => {
      const seqs = Int32Array.from(
        JSON.parse(
          db.get<{ seqs: string }>(
            "SELECT json_group_array(rowid) AS seqs FROM memory_index WHERE memory_index MATCH ?",
            // Quoted, a term can be nothing but a term.
            [`${column}"${term.replaceAll('"', "")}"`],
          )?.seqs ?? "[]",
        ) as number[],
      );
      return { seqs, length: seqs.length };
    };
    const fresh = { all: read(""), trigger: read("trigger : ") };
    kept += sizeOf(fresh);
    lists.set(term, fresh);
    for (const oldest of lists.keys()) {
      if (kept <= MAX_KEPT || oldest === term) break;
      drop(oldest);
    }
    return fresh;
  };

  const change = (seq: number, { terms, trigger }: Fields, apply: typeof insert): void => {
    const inTrigger = new Set(trigger);
    for (const term of terms) {
      const known = lists.get(term);
      if (!known) continue;
      kept -= sizeOf(known);
      apply(known.all, seq);
      if (inTrigger.has(term)) apply(known.trigger, seq);
      kept += sizeOf(known);
    }
  };

  return {
    best: (terms, { limit, isVisible }) => {
      const found: number[] = [];
      const weigh = ({ seqs, length }: List, weight: number): void => {
        const last = seqs[length - 1] ?? 0;
        if (last >= sums.length) sums = grown(sums, last + 1);
        for (let at = 0; at < length; at++) {
          const seq = seqs[at] ?? 0;
          const before = sums[seq] ?? 0;
          if (before === 0) found.push(seq);
          sums[seq] = before + weight;
        }
      };
      for (const { term, rarity } of terms) {
        const { all, trigger } = listsOf(term);
        weigh(all, rarity);
        weigh(trigger, rarity * IN_TRIGGER);
      }
      const top = createTop(limit);
      for (const seq of found) {
        if (isVisible === undefined || isVisible(seq)) top.offer(seq, sums[seq] ?? 0);
        sums[seq] = 0;
      }
      return top.seqs();
    },
    add: (seq, fields) => change(seq, fields, insert),
    remove: (seq, fields) => change(seq, fields, removeFrom),
    forget: () => {
      lists.clear();
      kept = 0;
    },
  };
};

const sizeOf = ({ all, trigger }: Lists): number => all.seqs.length + trigger.seqs.length;

/** Where a number is or belongs. */
const placeOf = ({ seqs, length }: List, seq: number): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seqs[middle] ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
};

const insert = (list: List, seq: number): void => {
  const at = placeOf(list, seq);
  if (at < list.length && list.seqs[at] === seq) return;
  if (list.length === list.seqs.length) {
    const larger = new Int32Array(Math.ceil(list.length * 1.25) + 8);
    larger.set(list.seqs);
    list.seqs = larger;
  }
  list.seqs.copyWithin(at + 1, at, list.length);
  list.seqs[at] = seq;
  list.length += 1;
};

const removeFrom = (list: List, seq: number): void => {
  const at = placeOf(list, seq);
  if (at === list.length || list.seqs[at] !== seq) return;
  list.seqs.copyWithin(at, at + 1, list.length);
  list.length -= 1;
};

const grown = (numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(Math.max(length, numbers.length * 2));
  larger.set(numbers);
  return larger;
};

/** The best few of many, in order; most are refused by one comparison. */
const createTop = (limit: number) => {
  const seqs: number[] = [];
  const sums: number[] = [];
  const isBelow = (at: number, seq: number, sum: number): boolean => {
    const other = sums[at] ?? 0;
    return other < sum || (other === sum && (seqs[at] ?? 0) < seq);
  };
  return {
    offer: (seq: number, sum: number): void => {
      if (seqs.length === limit && !isBelow(limit - 1, seq, sum)) return;
      let low = 0;
      let high = seqs.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (isBelow(middle, seq, sum)) high = middle;
        else low = middle + 1;
      }
      seqs.splice(low, 0, seq);
      sums.splice(low, 0, sum);
      if (seqs.length > limit) {
        seqs.pop();
        sums.pop();
      }
    },
    seqs: () => seqs,
  };
};
