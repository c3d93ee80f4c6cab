import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPresence } from "./presence.ts";
import { MOST_BITS } from "./segment-format.ts";
import { createSegmentWriter } from "./segment-writer.ts";
import { bucketsOf } from "./trigrams.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-presence-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  const writer = createSegmentWriter();
  writer.add(1, { ordinal: 0, atSeconds: 1, role: "user", kind: "text", messageId: "m", text });
  writer.write(join(folder, name));
  return join(folder, name);
};

test("knows every word of small and large segments, and not the words of neither", () => {
  const presence = createPresence();
  presence.add(write("small", "A quick fox"));
  presence.add(write("large", "Übermut dog ".repeat(200_000)));
  const isThere = (word: string): boolean =>
    bucketsOf([word], MOST_BITS).every(
      (bucket) => ((presence.bytes[bucket >> 3] ?? 0) & (1 << (bucket & 7))) !== 0,
    );
  const words = ["quick", "FOX", "übermut", "mut dog", "owl", "zzzqqq", "Ünrest"];
  expect(words.map((word) => [word, isThere(word)])).toEqual([
    ["quick", true],
    ["FOX", true],
    ["übermut", true],
    ["mut dog", true],
    ["owl", false],
    ["zzzqqq", false],
    ["Ünrest", false],
  ]);
});
