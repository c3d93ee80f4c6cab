/**
 * One step of the database's shape, run in a transaction of its own and never edited after a release. The
 * number orders the steps and is the step's identity, in both dialects; a feature adds a file and a line in
 * `index.ts`.
 */
export type Migration = { number: number; name: string; sqlite: string; postgres: string };
