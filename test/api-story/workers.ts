import { addJob } from "../../queue/add-job.ts";
import { claimJob } from "../../queue/claim-job.ts";
import { openQueue } from "../../queue/open-queue.ts";
import { createSilentLog } from "../../core/log.ts";
import { batchOf, reportOf } from "../../server/night/fixtures/batches.ts";
import type { Teller } from "./tell.ts";

export const RUN = "5f0c2b9e-8d1a-4f6e-9b1c-2d3e4f5a6b7c";
const worker = { host: "build-1", worker: "docs" };
const report = reportOf({
  session: 2,
  task: "Fix the broken links in docs/",
  contextPercent: 41.5,
  contextTokens: 83_000,
  gate: "blocked",
  lastEvent: "tool: Bash npm test",
});
const PATCH = "diff --git a/docs/index.md b/docs/index.md\n-[guide](guid.md)\n+[guide](guide.md)\n";

const night = batchOf({
  run: { id: RUN, windowTokens: 200_000, contextLimitPercent: 75, budgetUsd: 5 },
  report,
  events: [
    { kind: "session-begin", session: 1, data: { max: 6 } },
    { kind: "usage", session: 1, data: { contextTokens: 24_000, windowTokens: 200_000 } },
    {
      kind: "commits",
      session: 1,
      data: { commits: ["4f1c09a Mend the links"], files: 1, insertions: 1, deletions: 1, leftOut: 0 },
      text: PATCH,
    },
    {
      kind: "session-end",
      session: 1,
      at: "2026-11-20T22:08:40.000Z",
      data: { endReason: "context", costUsd: 0.5, tokens: 240_000 },
    },
    { kind: "handoff", session: 1, text: "Two links are left." },
    {
      kind: "gates",
      session: 2,
      at: "2026-11-20T22:08:50.000Z",
      data: { when: "before", verdict: "blocked", firstError: "error: 2 links are broken" },
    },
    { kind: "log", data: { lines: ["2026-11-20T22:00:01.000Z tool: Bash npm test"] } },
  ],
});

/** A worker that tells of its run, is watched, and is asked something. */
export const tellNight = async ({ tell, note, server, admin: as }: Teller): Promise<void> => {
  await tell("PUT /api/fleet/{host}/{worker}", { at: worker, body: report });
  await tell("GET /api/fleet");
  const ended = new AbortController();
  const stream = await fetch(`${server.url}/api/night/stream`, {
    headers: { authorization: `Bearer ${as}` },
    signal: ended.signal,
  });
  await tell("POST /api/fleet/{host}/{worker}/events", { at: worker, body: night });
  let text = "";
  for await (const part of stream.body ?? []) {
    text += new TextDecoder().decode(part);
    if (text.includes("data: ")) break;
  }
  ended.abort();
  note("GET /api/night/stream", { status: stream.status, type: "text/event-stream", text });

  const at = { id: RUN };
  await tell("POST /api/night/runs/{id}/commands", { as, at, body: { action: "adjust", max: 8 } });
  const fetchCommands = (acks: { id: string; state: string }[]) =>
    tell<{ commands: { id: string }[] }>("POST /api/fleet/{host}/commands", {
      at: worker,
      body: { worker: worker.worker, waitSeconds: 0, acks },
    });
  const { commands } = await fetchCommands([]);
  await fetchCommands(commands.map(({ id }) => ({ id, state: "received" })));
  await tell("GET /api/night", { as });
  const { events } = await tell<{ events: { number: number; kind: string }[] }>("GET /api/night/runs/{id}", {
    as,
    at,
  });
  const number = events.find(({ kind }) => kind === "commits")?.number ?? 0;
  await tell("GET /api/night/runs/{id}/events/{number}/text", { as, at: { ...at, number } });
  await tell("GET /api/night/runs/{id}/log", { as, at });
  await tell("POST /api/night/runs/{id}/seen", { as, at });
  await tell("DELETE /api/fleet/{host}/{worker}", { at: worker });
};

const DEVICE = {
  endpoint: "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABn",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};

/** A browser that is told of the night. */
export const tellPush = async ({ tell, admin: as }: Teller): Promise<void> => {
  await tell("POST /api/push/devices", { as, body: DEVICE });
  await tell("POST /api/push/send", { body: { gone: [] } });
  await tell("GET /api/push", { as });
  await tell("POST /api/push/devices/forget", { as, body: { endpoint: DEVICE.endpoint } });
};

/** Two tasks of a queue, of which one runs and the other waits for it. */
export const tellQueue = async ({ tell, admin: as }: Teller, url: string): Promise<void> => {
  const queue = await openQueue({ url, poolSize: 2, waitMs: 5_000 }, { log: createSilentLog() });
  try {
    const task = {
      worker: "tests",
      task: "Cover the parser",
      repo: "git@example.com:team/atlas.git",
      dir: undefined,
      host: undefined,
      isInPlace: false,
      priority: 5,
      maxAttempts: 3,
    };
    const first = await addJob(queue, { ...task, after: [] });
    const second = await addJob(queue, { ...task, worker: "docs", after: [first.id] });
    await claimJob(queue, { pool: "build-1.4711", host: "build-1", leaseMs: 600_000 });
    await tell("GET /api/queue", { as });
    await tell("GET /api/queue/{id}", { as, at: { id: first.id } });
    await tell("POST /api/queue/{id}/cancel", { as, at: { id: second.id }, body: {} });
    await tell("POST /api/queue/{id}/retry", { as, at: { id: second.id }, body: { fresh: true } });
  } finally {
    await queue.close();
  }
};
