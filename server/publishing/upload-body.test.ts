import { expect, test } from "vitest";
import { readUpload } from "./upload-body.ts";

const collect = async (body: ReadableStream<Uint8Array> | null, pace: Parameters<typeof readUpload>[2]) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readUpload(body, 100, pace)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const slowBody = (chunks: string[], onCancel: () => void) =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = chunks.shift();
      // Says nothing more and does not end: a sender that hangs.
      if (next !== undefined) controller.enqueue(Buffer.from(next));
      else return new Promise<void>(() => {});
    },
    cancel: onCancel,
  });

test("gives a body that comes in time as it is", async () => {
  const body = new Response("all of it").body;
  expect(await collect(body, { idleMs: 1000, startMs: 1000, minBytesPerSecond: 1 })).toBe("all of it");
  expect(await collect(null, { idleMs: 1, startMs: 1, minBytesPerSecond: 1 })).toBe("");
});

test.each([
  ["hangs", { idleMs: 20, startMs: 60_000, minBytesPerSecond: 1 }],
  ["takes longer in all than its size allows", { idleMs: 60_000, startMs: 20, minBytesPerSecond: 1_000_000 }],
])("gives up a sender who %s, and lets go of the connection", async (_what, pace) => {
  let cancelled = false;
  const body = slowBody(["some"], () => {
    cancelled = true;
  });
  await expect(collect(body, pace)).rejects.toThrow(/too slow or has stopped/);
  expect(cancelled).toBe(true);
});
