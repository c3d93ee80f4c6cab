import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { recordTrust } from "../core/config/trust-record.ts";
import { useScratch } from "../test/scratch.ts";
import type { Claim, Job } from "../queue/job.ts";
import { preparePlace } from "./prepare-place.ts";

const scratch = useScratch();
const at = (...parts: string[]) => join(scratch.root, ...parts);

const prepare = (token: number) => {
  const task = { worker: "x", repo: at("atlas") } as Job;
  const claim: Claim = {
    lease: { task: 1, token },
    task,
    snapshot: undefined,
    freshFrom: 0,
    retriedFrom: 0,
  };
  const env = { PATH: process.env["PATH"], HOME: at("home"), GIT_CONFIG_GLOBAL: "/dev/null" };
  return preparePlace(
    { clock: systemClock, env, cwd: at("pools"), poolHome: at("pool"), queueId: "q" },
    { claim, name: "x-1-abcd", isKept: false },
    new AbortController().signal,
  );
};

test("the code of a config in a cloned repository runs only where this user trusted the very same code", async () => {
  mkdirSync(at("pools"));
  scratch.git("init", "-q", "-b", "main", at("atlas"));
  const config = (comment: string) =>
    scratch.put(
      "atlas/agent.config.ts",
      `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(at("canary"))}, "");\nexport default { workers: { x: { task: "t" } } };\n${comment}`,
    );
  const commit = () => {
    scratch.git("-C", at("atlas"), "add", "--all");
    scratch.git("-C", at("atlas"), "commit", "-q", "-m", "config");
  };
  config("");
  commit();
  await expect(prepare(1)).rejects.toThrow(/agent\.config\.ts is not trusted yet; look at it and run/);
  expect(existsSync(at("canary"))).toBe(false);

  recordTrust({ HOME: at("home") }, { root: at("atlas"), entries: [at("atlas/agent.config.ts")] });
  config("// changed since");
  commit();
  await expect(prepare(2)).rejects.toThrow(/not trusted yet/);
  expect(existsSync(at("canary"))).toBe(false);

  config("");
  commit();
  expect((await prepare(3)).config.config.workers).toHaveProperty("x");
  expect(existsSync(at("canary"))).toBe(true);
});
