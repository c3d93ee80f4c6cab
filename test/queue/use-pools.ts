import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { createSilentLog } from "../../core/log.ts";
import { openQueue } from "../../queue/open-queue.ts";
import { startPostgres, type TestPostgres } from "../postgres/start-postgres.ts";
import { QueueLab } from "./queue-lab.ts";

export const COMMIT: ScriptedStep = {
  do: "run",
  command: "echo $NIGHTSHIFT_SESSION >> work.txt && git add -A && git commit -qm line",
};
export const DONE: ScriptedStep = { do: "say", text: "DONE: played" };

/** One PostgreSQL for the tests of a describe; for each test an empty queue, and hosts of its own. */
export const usePools = () => {
  let server: TestPostgres;
  let template: string;
  let lab: QueueLab;
  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createTemplate(async (url) => {
      await (await openQueue({ url, poolSize: 1, waitMs: 5_000 }, { log: createSilentLog() })).close();
    });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    lab = await QueueLab.open(await server.createDatabase(template));
  });
  afterEach(() => lab.close());
  return {
    get lab() {
      return lab;
    },
    get server() {
      return server;
    },
  };
};
