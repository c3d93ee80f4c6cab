import { expect, test } from "vitest";
import { describeLedger } from "./describe-ledger.ts";
import { createLedger, type CallEntry } from "./ledger.ts";

const keep = () => {
  const said: CallEntry[] = [];
  let at = 1_000;
  const ledger = createLedger({ now: () => (at += 1_000), onLedger: (entry) => said.push(entry) });
  return { ...ledger, said };
};

test("every call is said at once, bytes when they are written down, and nothing twice", () => {
  const { note, flush, said } = keep();
  const count = note({ host: "a.example", port: 443, verdict: "allowed" });
  count({ sent: 10, received: 20 });
  count({ sent: 15, received: 20 });
  expect(said).toHaveLength(1);
  flush();
  flush();
  expect(said).toHaveLength(2);
  expect(said[1]).toMatchObject({ times: 1, bytesSent: 15, bytesReceived: 20, firstAt: 2_000 });
});

test("two connections to one host share its line", () => {
  const { note, flush, said } = keep();
  const counts = [1, 2].map(() => note({ host: "a.example", port: 443, verdict: "allowed" }));
  for (const count of counts) count({ sent: 5, received: 1 });
  flush();
  expect(said.at(-1)).toMatchObject({ times: 2, bytesSent: 10, bytesReceived: 2 });
});

test("a session that tries name after name does not fill the memory", () => {
  const { note, said } = keep();
  for (let i = 0; i < 3_000; i++) note({ host: `n${i}.example`, port: 443, verdict: "refused" });
  expect(new Set(said.map(({ host }) => host)).size).toBe(1_001);
  expect(said.at(-1)).toMatchObject({ host: "(others)", times: 2_000 });
});

test("is told with the refused hosts first", () => {
  const { note, flush, said } = keep();
  note({ host: "a.example", port: 443, verdict: "allowed" })({ sent: 2_048, received: 5_000_000 });
  note({ host: "evil.example", port: 25, verdict: "refused", reason: "not in network.allow" });
  flush();
  expect(describeLedger(said)).toEqual([
    "refused  evil.example:25  once: not in network.allow",
    "allowed  a.example  once, 2.0 KiB sent, 4.8 MiB received",
  ]);
});
