// @module-tag long

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { findBubblewrap } from "../../sandbox/find-bubblewrap.ts";
import { hasPostgres } from "../postgres/find-postgres.ts";
import { COMMIT, DONE, usePools } from "./use-pools.ts";

describe.skipIf(!hasPostgres || "problem" in findBubblewrap(process.env))("a pool", () => {
  const pools = usePools();

  test.each([
    ["holds a stranger's task in a sandbox without being told to", [], false],
    ["leaves one with all rights where its own user says so", ["--sandbox", "none"], true],
  ] as const)("%s", async (_, args, isOut) => {
    const repo = pools.lab.origin("atlas");
    // Not in the lab's own folder: the scripted agent's script and state lie there.
    const folder = mkdtempSync(join(tmpdir(), "nightshift-outside-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const outside = join(folder, "file");
    const reach: ScriptedStep = { do: "run", command: `touch ${outside}; echo reached > reached.txt` };
    pools.lab.worker("commits", [{ steps: [reach, COMMIT, DONE] }]);
    const { id } = await pools.lab.add({ worker: "commits", repo });
    const pool = pools.lab.pool("a", { args: ["--until-idle", ...args] });
    expect(await pool.end("SIGCONT")).toBe(0);
    expect(await pools.lab.task(id)).toMatchObject({ state: "complete" });
    expect(existsSync(outside)).toBe(isOut);
  });
});
