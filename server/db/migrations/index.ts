import type { Migration } from "./migration.ts";

/** Every step, in order. Add yours at the end; never change one that is released. */
export const MIGRATIONS: readonly Migration[] = [];
