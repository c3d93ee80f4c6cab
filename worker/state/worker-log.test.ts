import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readLastLines } from "./follow-log.ts";
import { workerFiles } from "./worker-files.ts";
import { openWorkerLog } from "./worker-log.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-log-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const open = () =>
  openWorkerLog(workerFiles(home, "w"), { now: () => 0, onFailure: (error) => expect.fail(String(error)) });
const events = () =>
  readFileSync(workerFiles(home, "w").events, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("secrets are taken out of events, those in quotes too, and an event stays JSON", () => {
  const { event } = open();
  event("text", { text: `PASSWORD="hunter2hunter2"` });
  event("tool-start", { summary: "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA", nested: { n: 7 } });
  const [first, second] = events();
  expect(first).toMatchObject({ type: "text", text: 'PASSWORD="[REDACTED:password]"' });
  expect(second).toMatchObject({ summary: "[REDACTED:private_key]", nested: { n: 7 } });
});

test("what an agent prints does not steer the terminal that the log is read on", () => {
  open().line("\u001B[2Jclear\u0007 \u001B]0;title\u0007done\r\nnext\ttab");
  const text = readFileSync(workerFiles(home, "w").log, "utf8");
  expect(text).toBe("1970-01-01T00:00:00.000Z clear done\n1970-01-01T00:00:00.000Z next\ttab\n");
});

test("a text of many megabytes leaves a log that can be read, open to its owner alone", () => {
  const { line, event } = open();
  line("before");
  line("x".repeat(50_000_000));
  event("text", { text: "x".repeat(50_000_000) });
  const { log, events: path } = workerFiles(home, "w");
  expect(statSync(log).size + statSync(path).size).toBeLessThan(2_000_000);
  const { lines } = readLastLines(log, 2);
  expect(lines[0]).toContain("before");
  expect(lines[1]).toMatch(/49900000 characters cut\]$/);
  expect([log, path].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
});
