// @module-tag long

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Part } from "../../agents/scripted/script.ts";
import { createClock } from "../../core/clock.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

/** A clock that skips every pause of the loop, and tells how long it was and how the worker stood in it. */
const skipPauses = (): { seconds: number; status: string; waitingFor: string | undefined }[] => {
  const pauses: ReturnType<typeof skipPauses> = [];
  let skipped = 0;
  const clock = createClock({ now: () => Date.now() + skipped, elapsed: () => performance.now() });
  night.clock = {
    ...clock,
    sleep: (ms, signal) => {
      if (ms < 1_000 || ms > 600_000) return clock.sleep(ms, signal);
      const { shown, waitingFor } = night.worker();
      pauses.push({ seconds: Math.round(ms / 1000), status: shown, waitingFor });
      skipped += ms;
      return Promise.resolve();
    },
  };
  return pauses;
};
/** Limits above every pause, so that the clock tells them apart. */
const LONG = { idleMinutes: 9_000, sessionMinutes: 9_000 };
const REFUSED: Part = { steps: [{ do: "fail", message: "API Error: connect ECONNREFUSED 127.0.0.1:4010" }] };

test("a model that is away for longer than three sessions is waited for, and takes none of them", async () => {
  const pauses = skipPauses();
  const request = await night.plan({
    health: "exit 0",
    max: 1,
    limits: { backoffSeconds: 5, ...LONG },
    parts: [REFUSED, REFUSED, REFUSED, REFUSED, REFUSED, { steps: FINISH }],
  });
  expect(await night.run(request)).toMatchObject({ status: "complete", session: 1 });
  expect(pauses.map(({ seconds }) => seconds)).toEqual([5, 10, 20, 40, 80]);
  for (const { status, waitingFor } of pauses) {
    expect(status).toBe("waiting");
    expect(waitingFor).toBe("the outage to end (API Error: connect ECONNREFUSED 127.0.0.1:4010)");
  }
  expect(night.worker().waitingFor).toBeUndefined();
});

test("a session that an outage cut off after it had worked counts, and is no step towards failing", async () => {
  skipPauses();
  const cut: Part = {
    steps: [
      { do: "append", file: "a.txt", text: "x\n" },
      { do: "usage", contextTokens: 1_000 },
      { do: "fail", message: "503 Service Unavailable" },
    ],
  };
  const request = await night.plan({ max: 4, limits: { backoffSeconds: 5, ...LONG }, parts: [cut] });
  expect(await night.run(request)).toMatchObject({ status: "max-reached", session: 4 });
});

test("one full disk while work is saved is waited out in front of the agent, who finds the work saved", async () => {
  const pauses = skipPauses();
  const request = await night.plan({
    health: "exit 0",
    limits: { backoffSeconds: 5, ...LONG },
    parts: [{ steps: [{ do: "run", command: "git add -A && git commit -qm rest" }, ...FINISH] }],
  });
  const marker = join(night.root, "failed-once");
  const real = night.env["PATH"] ?? "";
  night.write(
    "bin/git",
    `#!/bin/sh\ncase "$*" in *read-tree*) test -f ${marker} || { touch ${marker}; echo "fatal: unable to write new index file: No space left on device" >&2; exit 128; };; esac\nPATH='${real}' exec git "$@"\n`,
    0o755,
  );
  night.env["PATH"] = `${join(night.root, "bin")}:${real}`;
  night.write("night/left.txt", "left over\n");
  const state = await night.run(request);
  expect(existsSync(marker)).toBe(true);
  expect(state).toMatchObject({ status: "complete", session: 1 });
  expect(pauses).toEqual([
    { seconds: 5, status: "waiting", waitingFor: expect.stringMatching(/the outage to end.*No space left/) },
  ]);
  expect(night.git("night", "show", `${state.sessions[0]?.rescueRef}:left.txt`)).toBe("left over\n");
  expect(readFileSync(night.files().log, "utf8")).toMatch(
    /waiting for the outage to end .*No space left.* until/,
  );
});
