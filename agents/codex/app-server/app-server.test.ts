import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Json } from "../../json.ts";
import { codexDriver } from "../driver.ts";
import { readAppServerArguments } from "./arguments.ts";
import { connectAppServer } from "./connection.ts";
import { createAppServerTranslator } from "./translate.ts";

const follow = () => {
  const translator = createAppServerTranslator({
    prices: { "gpt-x": { input: 1, cacheRead: 0.1, cacheWrite: 1, output: 10 } },
  });
  return translator;
};
const usage = (threadId: string, total: number, last: Json): Json => ({
  threadId,
  tokenUsage: { total: { totalTokens: total }, last, modelContextWindow: 200_000 },
});
const call = (input: number, cached: number, output: number): Json => ({
  totalTokens: input + output,
  inputTokens: input,
  cachedInputTokens: cached,
  outputTokens: output,
});

test("counts each call once, leaves out what a resumed thread used before, and keeps sub-agents apart", () => {
  const { read, follow: begin } = follow();
  const update = "thread/tokenUsage/updated";
  expect(read(update, usage("own", 5_000, call(4_000, 0, 1_000)))).toEqual([]);
  begin("own", "gpt-x");
  expect(read(update, usage("own", 5_000, call(4_000, 0, 1_000)))).toEqual([]);
  expect(read(update, usage("own", 16_000, call(10_000, 4_000, 1_000)))).toMatchObject([
    { contextTokens: 11_000, windowTokens: 200_000, totalTokens: 11_000, totalCostUsd: 0.0164 },
    { type: "calls-over" },
  ]);
  expect(read(update, usage("child", 2_000, call(1_900, 0, 100)))).toMatchObject([
    {
      contextTokens: 11_000,
      totalTokens: 13_000,
      tokensByClass: { input: 7_900, output: 1_100, subAgents: 2_000 },
    },
  ]);
});

test("what a sub-agent says and does is none of the thread's own", () => {
  const { read, follow: begin } = follow();
  begin("own", "gpt-x");
  const item = {
    type: "commandExecution",
    id: "c1",
    commandActions: [{ command: "ls" }],
    status: "completed",
  };
  expect(read("item/started", { threadId: "child", item })).toEqual([]);
  expect(read("turn/completed", { threadId: "child", turn: { status: "completed" } })).toEqual([]);
  expect(read("item/started", { threadId: "own", item })).toEqual([
    { type: "tool-start", id: "c1", name: "exec_command", summary: "ls" },
  ]);
  expect(
    read("item/completed", {
      threadId: "own",
      item: { ...item, status: "failed", exitCode: 2, aggregatedOutput: "ls: no\nsuch file" },
    }),
  ).toEqual([{ type: "tool-end", id: "c1", isError: true, reason: "ls: no such file" }]);
});

test("a usage limit gives the reset of the window that is full, without one it gives none", () => {
  const turn = { status: "failed", error: { message: "over", codexErrorInfo: "usageLimitExceeded" } };
  const { read, follow: begin } = follow();
  begin("own", undefined);
  expect(read("turn/completed", { threadId: "own", turn })).toEqual([
    { type: "turn-end", reason: "rate-limit", message: "over" },
  ]);
  const primary = { usedPercent: 100, resetsAt: 1_900_000_000 };
  const secondary = { usedPercent: 40, resetsAt: 1_999_999_999 };
  read("account/rateLimits/updated", { rateLimits: { primary, secondary } });
  expect(read("turn/completed", { threadId: "own", turn })).toEqual([
    { type: "turn-end", reason: "rate-limit", message: "over", resetsAtMs: 1_900_000_000_000 },
  ]);
  const refused = { status: "failed", error: { message: "no such model", codexErrorInfo: "modelNotFound" } };
  expect(read("turn/completed", { threadId: "own", turn: refused })).toEqual([
    { type: "turn-end", reason: "error", message: "no such model" },
  ]);
});

test("an event that is not known is handed on as one", () => {
  const { read, follow: begin } = follow();
  begin("own", undefined);
  expect(read("turn/dreamt", { threadId: "own" })).toMatchObject([{ type: "unknown", kind: "turn/dreamt" }]);
  expect(read("turn/started", { threadId: "own" })).toEqual([]);
});

test("settings, features and trust in hooks are handed on; other arguments are for exec", () => {
  expect(readAppServerArguments()).toEqual({ args: ["app-server"], threadConfig: {} });
  expect(readAppServerArguments(["-c", "a.b=1", "--enable=x", "--dangerously-bypass-hook-trust"])).toEqual({
    args: ["app-server", "--config", "a.b=1", "--enable", "x"],
    threadConfig: { bypass_hook_trust: true },
  });
  expect(readAppServerArguments(["--profile", "night"])).toBeUndefined();
  const request = { prompt: "", dir: "/", env: {}, scratchDir: "/" };
  const args = ["--profile", "night"];
  expect(codexDriver.describe({ ...request, settings: { args } }).args).toContain("exec");
  expect(codexDriver.describe({ ...request, settings: {} }).args).toEqual(["app-server"]);
  expect(() => codexDriver.describe({ ...request, settings: { args, protocol: "app-server" } })).toThrow(
    /takes only -c, --enable and --disable, not --profile night/,
  );
});

test("answers what it is asked, fails what is not answered, and takes garbage for what it is", async () => {
  const sent: Json[] = [];
  const heard: string[] = [];
  let garbage = 0;
  const connection = connectAppServer((text) => void sent.push(JSON.parse(text) as Json), {
    onNotification: (method) => void heard.push(method),
    onRequest: async (method) => {
      if (method !== "known") throw new Error("nobody is there to answer");
      return { decision: "accept" };
    },
    onGarbage: () => void (garbage += 1),
  });
  const asked = connection.ask("turn/start", {});
  const failing = connection.ask("turn/start", {});
  const open = connection.ask("turn/start", {});
  for (const line of [
    '{"id":1,"result":{"ok":1}}',
    '{"id":2,"error":{"message":"no"}}',
    "garbage",
    '{"id":99}',
  ])
    connection.onLine(line);
  expect(await asked).toEqual({ ok: 1 });
  await expect(failing).rejects.toThrow("no");
  connection.close();
  await expect(open).rejects.toThrow("codex left before it answered");
  connection.onLine('{"method":"turn/started","params":{}}');
  connection.onLine('{"id":"a","method":"known"}');
  connection.onLine('{"id":7,"method":"item/tool/requestUserInput","params":{}}');
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual(["turn/started"]);
  expect(garbage).toBe(2);
  expect(sent.slice(3)).toEqual([
    { id: "a", result: { decision: "accept" } },
    { id: 7, error: { code: -32_601, message: "nobody is there to answer" } },
  ]);
});

test.each([["stopped at the first call"], ["stopped before"]])(
  "a call that runs and is not told yet is not cut short when another ends, %s",
  async (when) => {
    const home = mkdtempSync(join(tmpdir(), "nightshift-app-server-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const session = await codexDriver.start({
      prompt: "WORKER MODE",
      dir: home,
      settings: { command: resolve(import.meta.dirname, "fixtures/app-server.mjs") },
      env: { PATH: process.env["PATH"] ?? "", HOME: home, LOG: join(home, "log") },
      scratchDir: home,
    });
    for await (const event of session.events) {
      if (event.type === (when === "stopped before" ? "started" : "tool-start")) await session.stopGently();
      if (event.type === "ended") expect(event.reason).toBe("interrupted");
    }
    await session.end();
    expect(readFileSync(join(home, "log"), "utf8")).toBe("interrupted: next answer\n");
  },
);
