import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../core/clock.ts";
import type { Happening } from "../core/happenings.ts";
import { useScratch } from "../test/scratch.ts";
import { type Provider, startProvider } from "./fixtures/provider.ts";
import { createNotify } from "./notify.ts";
import { notifyFile } from "./notify-file.ts";
import { listUndelivered, listWaiting, outboxFolder } from "./outbox.ts";
import { sendNotices } from "./send-notices.ts";
import { type NotifySettings, readNotifySettings } from "./settings.ts";

const fail = (problem: string): never => expect.fail(problem);
const scratch = useScratch();
let provider: Provider;
let nowMs: number;
/** A night passes as fast as it can be asked for. */
const clock: Clock = {
  now: () => nowMs,
  elapsed: () => nowMs,
  sleep: async (ms) => {
    nowMs += Math.max(1, ms);
  },
};

beforeEach(async () => {
  provider = await startProvider();
  nowMs = new Date(2026, 10, 22, 21, 0, 0).getTime();
});
afterEach(() => provider.stop());

const home = () => scratch.root;
const folder = () => outboxFolder(home());
const settings = (more: Partial<NotifySettings> = {}): NotifySettings => ({
  channels: { phone: { type: "webhook", url: `${provider.url}/phone` } },
  ...more,
});
const write = (value: unknown, mode = 0o600) => {
  mkdirSync(home(), { recursive: true });
  writeFileSync(notifyFile(home()), JSON.stringify(value));
  chmodSync(notifyFile(home()), mode);
};
const tell = (title: string, happening: Happening = "complete", project = {}) => {
  write(settings());
  const onProblem = fail;
  createNotify(
    { home: home(), now: clock.now, onProblem, start: () => {} },
    project,
  )({
    happening,
    title,
    text: "",
  });
};
const openPush = () => Promise.reject(new Error("no web push here"));
const send = (how = settings()) => sendNotices({ clock, fetch, openPush }, folder(), how);
const titles = () => provider.received.map(({ body }) => body["title"]);

test("one notice goes out once, and leaves nothing behind", async () => {
  tell("docs: complete");
  await send();
  await send();
  expect(titles()).toEqual(["docs: complete"]);
  expect(listWaiting(folder())).toEqual([]);
});

test("what a provider cannot take now is sent again, when it said so; what it refuses is written down", async () => {
  provider.answers.push({ status: 503 }, { status: 429, headers: { "retry-after": "120" } });
  tell("docs: complete");
  const begun = nowMs;
  await send();
  expect(titles()).toEqual(["docs: complete", "docs: complete", "docs: complete"]);
  expect(nowMs - begun).toBeGreaterThanOrEqual(125_000);
  provider.answers.push({ status: 404 });
  tell("api: failed", "failed");
  await send();
  expect(listWaiting(folder())).toEqual([]);
  expect(listUndelivered(folder())).toMatchObject([{ channel: "phone", title: "api: failed" }]);
});

test("a channel that is down holds up no other", async () => {
  const down = await startProvider();
  await down.stop();
  const both = settings({
    channels: { ...settings().channels, team: { type: "webhook", url: down.url } },
  });
  tell("docs: complete");
  nowMs += 24 * 3_600_000 - 60_000; // it is given up a day after it happened
  await send(both);
  expect(titles()).toEqual(["docs: complete"]);
  expect(listUndelivered(folder())).toMatchObject([{ channel: "team" }]);
});

test("a storm is one message: the first at once, the rest in one", async () => {
  tell("w1: complete");
  provider.onRequest = () => {
    if (provider.received.length > 1) return;
    for (let n = 2; n <= 40; n++) tell(`w${n}: failed`, "failed");
  };
  await send();
  expect(titles()).toEqual(["w1: complete", "39 things happened: 39 failed"]);
  expect(provider.received[1]?.body["notices"]).toHaveLength(39);
});

test("quiet hours hold it until they are over, but not what may wake you", async () => {
  const quiet = settings({ quietHours: { from: "22:00", to: "07:00", except: ["needs-approval"] } });
  nowMs = new Date(2026, 10, 22, 23, 30, 0).getTime();
  tell("docs: complete");
  tell("agent asks to publish", "needs-approval");
  const times: string[] = [];
  provider.onRequest = () => times.push(new Date(nowMs).toTimeString().slice(0, 5));
  await send(quiet);
  expect(titles()).toEqual(["agent asks to publish", "docs: complete"]);
  expect(times).toEqual(["23:30", "07:00"]);
});

test("a project may ask for less, and names only channels of the user's", async () => {
  tell("docs: complete", "complete", { on: ["failed"] });
  tell("api: failed", "failed", { channels: ["elsewhere"] });
  tell("web: failed", "failed", { on: ["failed"], channels: ["phone", "elsewhere"] });
  await send(settings({ on: ["failed", "complete"] }));
  expect(titles()).toEqual(["web: failed"]);
});

test("secrets are taken out before anything is on the disk", () => {
  tell("docs: failed on ghp_0123456789abcdefghijABCDEFGHIJ012345");
  expect(JSON.stringify(listWaiting(folder()))).not.toContain("ghp_0123");
});

test("without a file of channels nothing is written at all", () => {
  createNotify({ home: home(), now: clock.now, onProblem: fail, start: () => fail("started") })({
    happening: "complete",
    title: "docs: complete",
    text: "",
  });
  expect(listWaiting(folder())).toEqual([]);
  expect(readNotifySettings(home())).toBeUndefined();
});

test("all faults of the file are told, with where they are; one that others may read is refused", () => {
  write({ channels: { phone: { type: "ntfy", topik: "x" }, team: { type: "slack" } } });
  expect(() => readNotifySettings(home())).toThrow(/channels\.phone\.topi[\s\S]*channels\.team\.webhookUrl/);
  write({ channels: {}, on: ["sometimes"] });
  expect(() => readNotifySettings(home())).toThrow(/on\[0\]/);
  write(settings(), 0o644);
  expect(() => readNotifySettings(home())).toThrow(/chmod 600/);
  writeFileSync(join(home(), "notify.json"), "{", { mode: 0o600 });
  chmodSync(notifyFile(home()), 0o600);
  expect(() => readNotifySettings(home())).toThrow(/is not JSON/);
});
