import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { endMarked, findMarked, MARKER } from "../../core/process-tree.ts";
import { encodeLine } from "../command/protocol.ts";
import type { AgentEvent, SessionRequest } from "../driver.ts";
import { scriptedDriver } from "./driver.ts";
import type { Part } from "./script.ts";

let dir = "";
let mark = "";
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-scripted-")));
  mark = `test-${dir.split("-").at(-1)}`;
});
afterEach(async () => {
  await endMarked(mark, { clock: systemClock, graceMs: 0 });
  rmSync(dir, { recursive: true, force: true });
});

const requestFor = (parts: Part[], more: Partial<SessionRequest> = {}): SessionRequest => {
  const script = join(dir, "play.json");
  writeFileSync(script, JSON.stringify({ parts }));
  mkdirSync(join(dir, "scratch"), { recursive: true });
  return {
    prompt: "WORKER MODE: play",
    dir,
    settings: { script },
    env: { PATH: process.env["PATH"] ?? "", [MARKER]: mark },
    scratchDir: join(dir, "scratch"),
    ...more,
  };
};

const readAll = async (events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> => {
  const all: AgentEvent[] = [];
  for await (const event of events) if (event.type !== "activity") all.push(event);
  return all;
};

const play = async (parts: Part[], more: Partial<SessionRequest> = {}) => {
  const session = await scriptedDriver.start(requestFor(parts, more));
  const events = await readAll(session.events);
  await session.end();
  return { events, ended: events.at(-1), spent: session.spent() };
};

const contentOf = (name: string) => readFileSync(join(dir, name), "utf8");

test("plays its part: works on files, runs commands, says what it uses and how it ends", async () => {
  const { events, ended, spent } = await play([
    {
      steps: [
        { do: "write", file: "a.txt", text: "one\n" },
        { do: "append", file: "a.txt", text: "two {{session}}\n" },
        { do: "edit", file: "a.txt", find: "one", replace: "uno" },
        { do: "run", command: "wc -l < a.txt > lines; exit 4" },
        { do: "usage", contextTokens: 1200, windowTokens: 200_000, costUsd: 0.25 },
        { do: "say", text: "All done.\nDONE: counted" },
      ],
    },
  ]);
  expect(contentOf("a.txt")).toBe("uno\ntwo 1\n");
  expect(contentOf("lines").trim()).toBe("2");
  expect(events[0]).toEqual({ type: "started", conversationId: "scripted-1", model: "scripted" });
  const ends = events.filter((event) => event.type === "tool-end");
  expect(ends.map(({ isError, reason }) => (isError ? reason : "done"))).toEqual([
    "done",
    "done",
    "done",
    "exited with 4",
  ]);
  expect(events).toContainEqual({
    type: "usage",
    contextTokens: 1200,
    windowTokens: 200_000,
    totalCostUsd: 0.25,
    source: "live",
  });
  expect(ended).toEqual({
    type: "ended",
    reason: "completed",
    lastText: "All done.\nDONE: counted",
    totalCostUsd: 0.25,
  });
  expect(spent).toEqual({ totalCostUsd: 0.25 });
});

test("plays one part a session and the last one again after that", async () => {
  const parts: Part[] = [
    { steps: [{ do: "say", text: "first" }] },
    { steps: [{ do: "say", text: "later {{session}}" }] },
  ];
  const texts: string[] = [];
  for (const _ of [1, 2, 3]) {
    const { ended } = await play(parts);
    texts.push(ended?.type === "ended" ? ended.lastText : "");
  }
  expect(texts).toEqual(["first", "later 2", "later 3"]);
});

test("is stopped exactly between tool calls, answers the closing note, and goes on where it was left", async () => {
  const parts: Part[] = [
    {
      note: "HANDOFF: half way",
      steps: [
        {
          do: "repeat",
          times: 9,
          steps: [
            { do: "append", file: "log.txt", text: "{{i}}\n" },
            { do: "usage", contextTokens: 20_000, growth: 20_000, windowTokens: 200_000 },
          ],
        },
        { do: "say", text: "DONE: all nine" },
      ],
    },
  ];
  const session = await scriptedDriver.start(requestFor(parts));
  const seen: AgentEvent[] = [];
  for await (const event of session.events) {
    seen.push(event);
    if (event.type === "usage" && event.contextTokens >= 80_000) await session.stopGently();
  }
  expect(seen.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
  expect(contentOf("log.txt")).toBe("1\n2\n3\n4\n");
  expect(await session.askForNote({ prompt: "note?", timeoutMs: 120_000 })).toBe("HANDOFF: half way");
  await session.end();
  const { ended } = await play(parts, { resume: "scripted-1" });
  expect(ended).toMatchObject({ reason: "completed", lastText: "DONE: all nine" });
  expect(contentOf("log.txt")).toBe("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
});

test("gives no note when its part has none, and says so in time", async () => {
  const session = await scriptedDriver.start(requestFor([{ note: null, steps: [] }]));
  await readAll(session.events);
  expect(await session.askForNote({ prompt: "note?", timeoutMs: 50 })).toBeUndefined();
  await session.end();
});

test("reports a rate limit with its reset", async () => {
  const { events, ended } = await play([{ steps: [{ do: "rateLimit", resetsAtMs: 1_900_000_000_000 }] }]);
  expect(events).toContainEqual({
    type: "rate-limit",
    message: "scripted rate limit",
    resetsAtMs: 1_900_000_000_000,
  });
  expect(ended).toMatchObject({ reason: "rate-limit" });
});

test.each([
  { name: "crashes", steps: [{ do: "crash" as const }], expected: { reason: "error", signal: "SIGKILL" } },
  {
    name: "leaves with a code and a word on stderr",
    steps: [
      { do: "stderr" as const, text: "no credit left\n" },
      { do: "exit" as const, code: 3 },
    ],
    expected: { reason: "error", exitCode: 3, message: "ended with exit code 3: no credit left" },
  },
  {
    name: "leaves before its turn ended, with code 0",
    steps: [{ do: "exit" as const, code: 0 }],
    expected: { reason: "error", exitCode: 0, message: "the program left before its turn ended" },
  },
])("ends once, as what it was, when the agent $name", async ({ steps, expected }) => {
  const { events, ended } = await play([{ steps }]);
  expect(events.filter((event) => event.type === "ended")).toHaveLength(1);
  expect(ended).toMatchObject(expected);
});

test("takes garbage for warnings, a few of them, and goes on", async () => {
  const { events, ended } = await play([
    {
      steps: [
        { do: "repeat", times: 40, steps: [{ do: "raw", text: "\u0000{]\u001b[31m garbage\n" }] },
        { do: "say", text: "still here" },
      ],
    },
  ]);
  expect(events.filter((event) => event.type === "warning")).toHaveLength(5);
  expect(ended).toMatchObject({ reason: "completed", lastText: "still here" });
});

test("end leaves no process: not one that hangs and ignores signals, not a tool in a session of its own", async () => {
  const session = await scriptedDriver.start(
    requestFor([
      {
        steps: [
          { do: "fork", command: 'trap "" TERM; echo up > forked; while :; do sleep 1; done' },
          { do: "waitForFile", file: "forked" },
          { do: "hang", stubborn: true },
        ],
      },
    ]),
  );
  for await (const event of session.events) if (event.type === "tool-start" && event.name === "hang") break;
  expect(findMarked(mark).length).toBeGreaterThanOrEqual(2);
  await session.end({ graceMs: 100 });
  expect(findMarked(mark)).toEqual([]);
});

test("works on when its supervisor is gone, as real agents do", async () => {
  const request = requestFor([
    {
      steps: [
        { do: "waitForFile", file: "go" },
        { do: "usage", contextTokens: 5 },
        { do: "write", file: "after", text: "alone" },
      ],
    },
  ]);
  const { command, args } = scriptedDriver.describe(request);
  const program = spawn(command, [...args], { cwd: dir, env: request.env, stdio: "pipe" });
  program.stdin.write(encodeLine({ type: "prompt", prompt: "", dir }));
  await once(program.stdout, "data");
  program.stdin.destroy();
  program.stdout.destroy();
  writeFileSync(join(dir, "go"), "");
  expect(await once(program, "exit")).toEqual([0, null]);
  expect(contentOf("after")).toBe("alone");
});

test("a script with faults is refused with every one of them", async () => {
  const parts = [{ steps: [{ do: "sing" }, { do: "write", file: 3 }, { do: "exit", code: 999 }] }];
  const request = requestFor(parts as unknown as Part[]);
  await expect(scriptedDriver.start(request)).rejects.toThrow(
    /steps\/0\/do is "sing"; known: .*steps\/1\/file.*steps\/2\/code/,
  );
  writeFileSync(join(dir, "play.json"), "{");
  await expect(scriptedDriver.start(request)).rejects.toThrow(/play\.json is not JSON/);
  rmSync(join(dir, "play.json"));
  await expect(scriptedDriver.start(request)).rejects.toThrow(/no script .*play\.json/);
});

test("names the agent that is not there", async () => {
  const session = await scriptedDriver.start({
    ...requestFor([{ steps: [] }]),
    dir: join(dir, "gone"),
    settings: { script: join(dir, "play.json") },
  });
  expect((await readAll(session.events)).at(-1)).toMatchObject({ reason: "not-started" });
  await session.end();
});
