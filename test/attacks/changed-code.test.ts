// @module-tag long

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RUNTIMES } from "../../server/fixtures/test-server.ts";
import { bunBinary } from "../bun.ts";
import { systemClock } from "../../core/clock.ts";
import { careFor } from "../../worker/steerer/care-for.ts";
import type { SteerLog } from "../../worker/steerer/steer-log.ts";
import { say, START, WorkerLab } from "../worker/worker-lab.ts";

test.each(RUNTIMES)(
  "code that an agent left in its project is run by no resume and by no restart on %s",
  async (runtime) => {
    const lab = new WorkerLab();
    if (runtime === "bun") lab.program = bunBinary();
    try {
      lab.play({ parts: [{ steps: [say("HANDOFF: half done")] }] });
      const { err } = await lab.worker("start", "x", ...START, "--max", "1", "--foreground");
      const worker = lab.state("x");
      if (!worker) throw new Error(`there is no worker: ${err}`);
      const canary = join(lab.folder, "canary");
      rmSync(join(lab.repository, "agent.config.json"));
      lab.put(
        "agent.config.ts",
        `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(canary)}, "");\nexport default {};\n`,
      );

      const resumed = await lab.worker("resume", "x");
      expect(resumed).toMatchObject({
        code: 78,
        err: expect.stringContaining(`nightshift trust ${lab.repository}`),
      });
      const told: string[] = [];
      const log: SteerLog = {
        tell: (type, { message }) => {
          told.push(`${type}: ${String(message)}`);
        },
      };
      const record = { version: 1, restarts: [], read: { inode: 0, offset: 0 } } as const;
      await careFor(
        { clock: systemClock, env: lab.env, home: lab.workers, log },
        { worker, record: { ...record, restarts: [] } },
        [{ kind: "restart", number: 1 }],
      );
      expect(told).toEqual([expect.stringMatching(/^restart-failed: agent\.config\.ts is not trusted yet/)]);
      expect(existsSync(canary)).toBe(false);
    } finally {
      await lab.dispose();
    }
  },
);
