import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { corpusDir } from "../../test/corpus.ts";
import { readJsonLines } from "../jsonl.ts";
import { toConversation } from "./conversation.ts";
import { entriesOf } from "./entries.ts";
import { skimmer } from "./skim.ts";

const LINE = {
  parentUuid: null,
  isSidechain: false,
  cwd: "/w",
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "seen" }] },
  uuid: "a",
  timestamp: "2026-02-01T10:00:00.000Z",
};
const COPY = { toolUseResult: { stdout: 'unseen,"toolUseResult":' }, sourceToolAssistantUUID: "b-1" };
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const whole = line({ ...LINE, ...COPY });

const read = (text: string) => {
  const bytes = Buffer.from(text);
  return readJsonLines(bytes, 1, skimmer(bytes)).records.map(({ value }) => value);
};

test("leaves a copy of what a tool gave unread", () => {
  expect(read(`${line({ other: 1 })}${whole}${line({ other: 2 })}${whole}`)).toEqual([
    { other: 1 },
    LINE,
    { other: 2 },
    LINE,
  ]);
});

test.each([
  ["with something else behind the copy", line({ ...LINE, ...COPY, isMeta: true })],
  ["whose message comes behind the copy", line({ ...LINE, message: undefined, ...COPY, late: LINE.message })],
  ["that holds another line with a copy", line({ ...LINE, uuid: "c", data: { ...LINE, ...COPY } })],
  ["that is torn", `${whole}${whole.slice(0, -1)}`.slice(whole.length)],
])("reads a line %s whole", (_, text) => {
  expect(read(text)).toEqual(readJsonLines(Buffer.from(text)).records.map(({ value }) => value));
});

test("sees both of two lines that were written into one", () => {
  const glued = `${whole.trim()}${line({ ...LINE, ...COPY, uuid: "second" })}`;
  expect(read(glued).map(({ uuid }) => uuid)).toEqual(["a", "second"]);
});

test("sees that a line is broken", () => {
  expect(read(whole.replace('"message"', "message"))).toEqual([]);
});

const folder = corpusDir("conversations/claude-code/entire");

describe.skipIf(!folder)("over real transcripts (corpus)", () => {
  test("makes the same conversations and the same entries", () => {
    let skimmed = 0;
    for (const name of readdirSync(folder ?? "")) {
      const bytes = readFileSync(join(folder ?? "", name));
      const full = readJsonLines(bytes);
      const short = readJsonLines(bytes, 1, skimmer(bytes));
      skimmed += short.records.filter(
        (record, at) =>
          record.value["toolUseResult"] !== full.records[at]?.value["toolUseResult"] &&
          !("toolUseResult" in record.value),
      ).length;
      expect(short.records.map(entriesOf)).toEqual(full.records.map(entriesOf));
      const source = { id: name, path: name, isSubAgent: false };
      expect(toConversation(source, short)).toEqual(toConversation(source, full));
      expect({ ...short, records: [] }).toEqual({ ...full, records: [] });
    }
    expect(skimmed).toBeGreaterThan(100);
  });
});
