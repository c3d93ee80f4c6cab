import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { currentSession, DEFAULT_LIMITS, TRANSITIONS, transition, type WorkerState } from "./worker-state.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/workers.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| `"));

test.each(Object.entries(TRANSITIONS))("docs/workers.md names every way out of %s", (from, targets) => {
  const cells = rows.find((row) => row.startsWith(`| \`${from}\` |`))?.split("|") ?? [];
  const named = [...(cells[3] ?? "").matchAll(/`([a-z-]+)`/g)].map((match) => match[1]);
  for (const target of targets) expect(named).toContain(target);
  const known = Object.keys(TRANSITIONS);
  expect(named.filter((name) => known.includes(name ?? ""))).toHaveLength(targets.length);
});

test.each(Object.entries(DEFAULT_LIMITS))("docs/workers.md says the default of limits.%s", (name, value) => {
  const row = rows.find((line) => line.includes(`\`limits.${name}\``));
  expect(row?.split("|")[2]).toMatch(new RegExp(`\\b${value}\\b`));
});

test("refuses a transition that the table does not have", () => {
  const state = { name: "w", status: "complete" } as WorkerState;
  expect(() => transition(state, "running")).toThrow("worker w cannot go from complete to running");
  expect(transition(state, "starting").status).toBe("starting");
});

test("counts the session that runs or waits, and none beyond the last", () => {
  const cut = { isCounted: false, endedAt: "then" };
  const ended = { isCounted: true, endedAt: "then" };
  const open = { isCounted: true };
  const at = (status: WorkerState["status"], session: number, sessions: object[]) =>
    currentSession({ status, session, max: 10, sessions: sessions as WorkerState["sessions"] });
  expect(at("starting", 0, [])).toBe(1);
  expect(at("running", 1, [open])).toBe(1);
  expect(at("waiting", 0, [cut])).toBe(1); // a rate limit cut session 1 off
  expect(at("running", 1, [ended])).toBe(1);
  expect(at("waiting", 10, [cut])).toBe(10);
  expect(at("stopped", 0, [cut])).toBe(0);
});
