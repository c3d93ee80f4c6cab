import fc from "fast-check";
import { expect, test } from "vitest";
import type { IndexedPart } from "./part.ts";
import { bytesInMemory, DamagedSegment, openSegment, type SegmentReader } from "./segment.ts";
import { createSegmentWriter } from "./segment-writer.ts";
import { eachBucket } from "./trigrams.ts";

const part = (text: string, ordinal: number): IndexedPart => ({
  ordinal,
  atSeconds: 1000 + ordinal,
  role: "user",
  kind: ordinal % 2 === 0 ? "text" : "tool-result",
  messageId: `m${ordinal}`,
  text,
});

/** One conversation for each text. */
const write = (texts: readonly string[]): Buffer => {
  const writer = createSegmentWriter();
  for (const [file, text] of texts.entries()) writer.add(file, [part(text, file)]);
  return writer.finish().bytes;
};

const open = (bytes: Buffer): SegmentReader => openSegment(bytesInMemory(bytes));

/** Conversations whose text may hold these literals. */
const candidates = (reader: SegmentReader, literals: readonly string[]): number[] => {
  const list = reader.candidates(literals) ?? Array.from({ length: reader.blocks }, (_, index) => index);
  return list.map((index) => reader.block(index).file).sort((a, b) => a - b);
};

test("names every text that holds a literal, in whatever case, and gives it back as it was", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), fc.nat(), (all, which, from, length) => {
      const reader = open(write(all));
      const text = all[which % all.length] ?? "";
      const literal = text.slice(from % text.length, (from % text.length) + length).toLowerCase();
      const found = candidates(reader, [literal]);
      for (const [file, each] of all.entries())
        if (each.toLowerCase().includes(literal)) expect(found).toContain(file);
      const read = Array.from({ length: reader.blocks }, (_, index) => reader.parts(reader.block(index)));
      expect(
        read
          .flat()
          .map((each) => each.text)
          .sort(),
      ).toEqual(all.toSorted());
    }),
  );
});

test.each([3, 20_000])("rules out nearly all of %i texts that do not hold the words", (count) => {
  const texts = Array.from(
    { length: count },
    (_, file) => `text number ${file} of many, with a word${file}q`,
  );
  const reader = open(write([...texts, "a walrus and its tusk"]));
  expect(candidates(reader, ["walrus", "tusk"])).toEqual([count]);
  expect(candidates(reader, ["nobodysaidthis"])).toEqual([]);
});

test("tells the same three letters of a letter alone and within a text", () => {
  const bucketsIn = (text: string): Set<number> => {
    const found = new Set<number>();
    eachBucket(text, (bucket) => found.add(bucket));
    return found;
  };
  const wrong: string[] = [];
  for (let code = 1; code < 0x110000; code += 1) {
    const letter = String.fromCodePoint(code);
    if (letter.toLowerCase() === letter && code > 0x3000) continue;
    const literal = `b${letter}→c`;
    const whole = bucketsIn(`before, ${literal}, and after`);
    if ([...bucketsIn(literal)].some((bucket) => !whole.has(bucket))) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test("a segment that is cut short, or of which a part was overwritten with zeros, is damaged", () => {
  const texts = Array.from({ length: 400 }, (_, file) => `a walrus, number ${file}`);
  const whole = write(texts);
  const isWhole = (bytes: Buffer): boolean => {
    try {
      const reader = open(bytes);
      const list = reader.candidates(["walrus"]) ?? [];
      const read = list.flatMap((index) => reader.parts(reader.block(index)));
      return read.length === 400;
    } catch (error) {
      expect(error).toBeInstanceOf(DamagedSegment);
      return false;
    }
  };
  expect(isWhole(whole)).toBe(true);
  for (const length of [0, 10, whole.length >> 1, whole.length - 1])
    expect(isWhole(whole.subarray(0, length))).toBe(false);
  for (const from of [0, whole.length >> 2, whole.length - 4096, whole.length - 64])
    expect(isWhole(Buffer.concat([whole.subarray(0, from), Buffer.alloc(whole.length - from)]))).toBe(false);
});
