import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../../db/open-database.ts";
import { createSqliteStores } from "./store.ts";

const NOW = Date.UTC(2026, 10, 20);

test("what a failed change remembered is forgotten", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-candidates-"));
  const db = openDatabase(folder, { now: () => NOW });
  const { learnings } = createSqliteStores(db, () => NOW);
  const add = async (trigger: string, learning: string): Promise<number> => {
    const entry = { type: "learning", confidence: 1, scope: "a", writer: "w", createdAt: NOW } as const;
    return (await learnings.add({ ...entry, id: `id-${learning}`, trigger, learning }, {})).learning.seq;
  };
  const found = async (): Promise<number[]> =>
    (
      await learnings.candidates([{ term: "kiosk", rarity: 1 }], { visibility: { scopes: "all" }, limit: 9 })
    ).map(({ learning }) => learning.seq);
  try {
    const first = await add("kiosk", "one");
    expect(await found()).toEqual([first]);
    // Fails after the learning is in the index.
    db.exec(
      "CREATE TEMP TRIGGER no_space BEFORE INSERT ON memory_journal BEGIN SELECT RAISE(ABORT, 'no space'); END",
    );
    await expect(add("kiosk", "two")).rejects.toThrow("no space");
    db.exec("DROP TRIGGER no_space");
    expect(await found()).toEqual([first]);
    const second = await add("kiosk", "three");
    expect(await found()).toEqual([second, first]);
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
