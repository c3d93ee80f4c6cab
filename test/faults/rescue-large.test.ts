// @module-tag long

import { truncateSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGit, readGitState } from "../../core/git.ts";
import { rescueWork } from "../../worker/session/rescue.ts";
import { Night } from "./night.ts";

let night: Night;
let repo = "";
beforeEach(() => {
  night = new Night();
  repo = night.repository("repo");
});
afterEach(() => night.dispose());

test("git hashes what is saved, not this process: timers go on, so no lease and no stop waits for a large file", async () => {
  truncateSync(night.write("repo/README.md", ""), 256 * 1024 ** 2);
  const git = createGit(repo, night.env);
  const state = await readGitState(git, repo);
  if (!state) throw new Error("no git state");
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const { saved } = await rescueWork(git, { state, worker: "night", session: 1 });
  clearInterval(timer);
  expect(saved[0]?.paths).toEqual(["README.md"]);
  expect(turns).toBeGreaterThan(20);
});
