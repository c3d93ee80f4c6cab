import fc from "fast-check";
import { expect, test } from "vitest";
import { readServerSentEvents } from "./sse.ts";

const streamOf = async function* (bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
};

test("gives the same events wherever the stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.json()), fc.integer({ min: 1, max: 9 }), async (events, size) => {
      const text = events.map((event, index) => `event: e${index}\r\ndata: ${event}\r\n\r\n: ping\n\n`);
      const seen: string[] = [];
      for await (const data of readServerSentEvents(streamOf(Buffer.from(text.join("")), size)))
        seen.push(data);
      expect(seen).toEqual(events);
    }),
  );
});
