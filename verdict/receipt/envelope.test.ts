import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { openEnvelope, sealStatement, writeEnvelope } from "./envelope.ts";
import { findOwnKey, ownKey, publicText, readPublicKey } from "./keys.ts";

const home = mkdtempSync(join(tmpdir(), "nightshift-keys-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = { NIGHTSHIFT_HOME: home };

const key = ownKey(env);
const trusted = [readPublicKey(publicText(key), "test")];
const STATEMENT = {
  _type: "https://in-toto.io/Statement/v1",
  predicate: {
    verdict: "refused",
    gates: [{ id: "test", exitCode: 1 }],
    task: "Fäden ziehen",
    nothing: undefined,
  },
};
const text = writeEnvelope(sealStatement(key, STATEMENT));

const withPayload = (change: (payload: string) => string): string => {
  const envelope = JSON.parse(text) as { payload: string };
  const payload = Buffer.from(envelope.payload, "base64").toString();
  return JSON.stringify({ ...envelope, payload: Buffer.from(change(payload)).toString("base64") });
};

test("the key of a user is made once, readable to nobody else", () => {
  expect(statSync(join(home, "keys/receipts.pem")).mode & 0o777).toBe(0o600);
  expect(ownKey(env).id).toBe(key.id);
  expect(findOwnKey(env)?.id).toBe(key.id);
  expect(findOwnKey({ NIGHTSHIFT_HOME: join(home, "other") })).toBeUndefined();
});

test("what was signed opens without a fault, also with the line's end that a file has", () => {
  const opened = openEnvelope(`${text}\n`, trusted);
  expect(opened.faults).toEqual([]);
  expect(opened.statement).toMatchObject({ predicate: { verdict: "refused", task: "Fäden ziehen" } });
});

test("a changed part is named", () => {
  const changed = withPayload((payload) => payload.replace('"refused"', '"complete"'));
  expect(openEnvelope(changed, trusted).faults).toEqual(["predicate.verdict: was changed"]);
  const gate = withPayload((payload) => payload.replace('"exitCode":1', '"exitCode":0'));
  expect(openEnvelope(gate, trusted).faults).toEqual(["predicate.gates.0.exitCode: was changed"]);
  const added = withPayload((payload) => payload.replace('"verdict"', '"acceptance":{"by":"me"},"verdict"'));
  expect(openEnvelope(added, trusted).faults).toEqual(["predicate.acceptance.by: was added"]);
});

test("a receipt that somebody else signed is not ours, and says so", () => {
  const other = writeEnvelope(sealStatement(ownKey({ NIGHTSHIFT_HOME: join(home, "forger") }), STATEMENT));
  expect(openEnvelope(other, trusted).faults).toEqual([
    expect.stringContaining("signatures.0.keyid: no key is known by the name"),
  ]);
});

test("any changed, missing or added byte is found", () => {
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }), fc.nat(2), (at, code, how) => {
      const byte = String.fromCharCode(code);
      const changed = text.slice(0, at) + (how === 1 ? "" : byte) + text.slice(how === 2 ? at : at + 1);
      fc.pre(changed !== text && changed !== `${text}\n`);
      expect(openEnvelope(changed, trusted).faults.length).toBeGreaterThan(0);
    }),
    { numRuns: 2_000 },
  );
});
