export type Value = string | number | null;

/** One statement, or one for each row of values. */
type Step =
  | { kind: "all" | "run"; text: string; values: Value[] }
  | { kind: "each"; text: string; rows: Value[][] };

/**
 * The statements of a transaction, written once for both databases: SQLite runs them at once, PostgreSQL one after
 * another. Parameters as in `Statements`.
 */
export type Steps<T> = Generator<Step, T, unknown>;

export const all = function* <Row>(text: string, values: Value[] = []): Steps<Row[]> {
  return (yield { kind: "all", text, values }) as Row[];
};

/** the first row */
export const get = function* <Row>(text: string, values: Value[] = []): Steps<Row | undefined> {
  return (yield* all<Row>(text, values))[0];
};

/** @returns the number of rows changed */
export const run = function* (text: string, values: Value[] = []): Steps<number> {
  return (yield { kind: "run", text, values }) as number;
};

/** The same statement for each row of values; PostgreSQL is sent them without waiting in between. */
export const runEach = function* (text: string, rows: Value[][]): Steps<void> {
  yield { kind: "each", text, rows };
};

type Runner = {
  all: (text: string, values: Value[]) => unknown;
  run: (text: string, values: Value[]) => unknown;
};

const perform = (db: Runner, step: Step): unknown =>
  step.kind === "each"
    ? step.rows.map((values) => db.run(step.text, values))
    : db[step.kind](step.text, step.values);

export const runNow = <T>(db: Runner, steps: Steps<T>): T => {
  let next = steps.next();
  while (!next.done) next = steps.next(perform(db, next.value));
  return next.value;
};

export const runAwaiting = async <T>(db: Runner, steps: Steps<T>): Promise<T> => {
  let next = steps.next();
  while (!next.done) {
    const answer = perform(db, next.value);
    next = steps.next(await (Array.isArray(answer) ? Promise.all(answer) : answer));
  }
  return next.value;
};
