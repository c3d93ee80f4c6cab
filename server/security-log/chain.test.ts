import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Head,
  markOf,
  nextLine,
  NO_LINE,
  readMark,
  ROTATED,
  rotatedUpTo,
  verifyLines,
} from "./chain.ts";

const chainOf = (length: number, from: Head = NO_LINE): { lines: string[]; head: Head } => {
  let head = from;
  const lines = Array.from({ length }, (_, nth) => {
    const next = nextLine(head, { at: nth * 1000, event: "sign-in", outcome: "ok", principal: `p${nth}` });
    head = next.head;
    return next.line;
  });
  return { lines, head };
};

test("a log that nobody touched is whole, the empty one too", async () => {
  const { lines, head } = chainOf(12);
  expect(await verifyLines(lines, () => head)).toEqual({ ok: true, lines: 12, newest: markOf(head) });
  expect(await verifyLines(lines)).toEqual({ ok: true, lines: 12, newest: markOf(head) });
  expect(await verifyLines([], () => NO_LINE)).toEqual({ ok: true, lines: 0 });
});

test("finds any line that was changed, removed, repeated or moved", async () => {
  const { lines, head } = chainOf(12);
  const index = fc.nat({ max: lines.length - 1 });
  const without = (nth: number) => lines.filter((_, at) => at !== nth);
  await fc.assert(
    fc.asyncProperty(index, index, fc.nat(), async (nth, other, place) => {
      const line = lines[nth] ?? "";
      const at = place % line.length;
      const changed = `${line.slice(0, at)}${line[at] === "0" ? "1" : "0"}${line.slice(at + 1)}`;
      const moved = without(nth).toSpliced(other, 0, line);
      const broken = [lines.with(nth, changed), without(nth), lines.toSpliced(nth, 0, line)];
      if (nth !== other) broken.push(moved);
      for (const attempt of broken) expect((await verifyLines(attempt, () => head)).ok).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test("finds a line that was rewritten with a digest of its own", async () => {
  const { lines, head } = chainOf(5);
  const before = JSON.parse(lines[1] ?? "") as Head;
  const { line } = nextLine(before, { at: 0, event: "sign-in", outcome: "ok", principal: "somebody else" });
  expect(await verifyLines(lines.with(2, line), () => head)).toEqual({
    ok: false,
    lines: 3,
    fault: "line 4 does not follow line 3",
  });
  expect((await verifyLines(lines.slice(0, 2).concat(line), () => head)).fault).toBe(
    "the lines from 4 to 5 are missing",
  );
});

test("lines may lack at the beginning only where the log says that they made room", async () => {
  const old = chainOf(4);
  const kept = chainOf(3, old.head);
  expect((await verifyLines(kept.lines, () => kept.head)).fault).toBe("the lines up to 4 are missing");
  const told = nextLine(kept.head, {
    at: 9,
    event: ROTATED,
    outcome: "ok",
    subject: rotatedUpTo(old.head),
  });
  const rotated = [...kept.lines, told.line];
  const whole = { ok: true, lines: 4, newest: markOf(told.head) };
  expect(await verifyLines(rotated, () => told.head)).toEqual(whole);
  expect(await verifyLines(rotated, () => told.head, old.head)).toEqual(whole);
  expect(await verifyLines(rotated, () => told.head, { number: 2, digest: "a" })).toMatchObject({
    fault: "line 2 has made room; what was noted of it can no longer be compared",
  });
  expect((await verifyLines(rotated.slice(1), () => told.head)).ok).toBe(false);
});

test("a log that was cut or rewritten with all its digests does not have the line that was noted", async () => {
  const { lines, head } = chainOf(12);
  const noted = readMark(markOf(head));
  expect(noted).toEqual(head);
  const later = chainOf(3, head);
  const grown = [...lines, ...later.lines];
  for (const honest of [lines, grown]) expect((await verifyLines(honest, undefined, noted)).ok).toBe(true);
  const cut = lines.slice(0, 9);
  expect(await verifyLines(cut, undefined, noted)).toMatchObject({
    ok: false,
    fault: "line 12, which was noted, is missing; the log ends with line 9",
  });
  const forged = [...cut, ...chainOf(6, JSON.parse(cut.at(-1) ?? "") as Head).lines];
  for (const anew of [forged, forged.slice(0, 12)]) {
    expect((await verifyLines(anew)).ok).toBe(true);
    expect((await verifyLines(anew, undefined, noted)).fault).toBe("line 12 is another one than was noted");
  }
  for (const none of ["", "12", "12:abc", "-1:".padEnd(67, "0"), `12:${"A".repeat(64)}`])
    expect(readMark(none)).toBeUndefined();
});
