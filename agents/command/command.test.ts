import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent, AgentSettings, SessionRequest } from "../driver.ts";
import { findProgram, readProgramVersion } from "../find-program.ts";
import { commandDriver } from "./driver.ts";
import { parseProgramLine } from "./protocol.ts";

let dir = "";
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-command-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const requestFor = (
  settings: AgentSettings,
  prompt = "line one\nline two 'quoted' \\ 🌙",
): SessionRequest => ({
  prompt,
  dir,
  settings,
  env: { PATH: process.env["PATH"] ?? "" },
  scratchDir: dir,
});

const run = async (settings: AgentSettings, prompt?: string) => {
  const session = await commandDriver.start(requestFor(settings, prompt));
  const events: AgentEvent[] = [];
  for await (const event of session.events) if (event.type !== "activity") events.push(event);
  await session.end();
  return { events, ended: events.at(-1) };
};

test("gives a text program its prompt on stdin and takes its output for what the agent says", async () => {
  const { ended } = await run({ command: "sh", args: ["-c", "cat > got; echo working; echo DONE: yes"] });
  expect(readFileSync(join(dir, "got"), "utf8")).toBe("line one\nline two 'quoted' \\ 🌙");
  expect(ended).toEqual({
    type: "ended",
    reason: "completed",
    lastText: "working\nDONE: yes",
    exitCode: 0,
  });
});

test("gives the prompt as an argument, in its place or at the end, without any shell between", async () => {
  const print = 'require("fs").writeFileSync("got", JSON.stringify(process.argv.slice(1)))';
  const base = { command: process.execPath, prompt: "argument", model: "m-1" };
  await run(
    { ...base, args: ["-e", print, "--", "--model={model}", "--ask={prompt}", "last"] },
    "$HOME `id` 🌙\n",
  );
  expect(JSON.parse(readFileSync(join(dir, "got"), "utf8"))).toEqual([
    "--model=m-1",
    "--ask=$HOME `id` 🌙\n",
    "last",
  ]);
  await run({ ...base, args: ["-e", print, "go"] }, "do it");
  expect(JSON.parse(readFileSync(join(dir, "got"), "utf8"))).toEqual(["go", "do it"]);
});

test("a failing program is an error with its code and its last words", async () => {
  const { ended } = await run({ command: "sh", args: ["-c", "echo partly; echo no key >&2; exit 7"] });
  expect(ended).toMatchObject({
    reason: "error",
    exitCode: 7,
    lastText: "partly",
    message: "ended with exit code 7: no key",
  });
});

test("a text program is stopped by SIGINT and counts as interrupted", async () => {
  const session = await commandDriver.start(
    requestFor({ command: "sh", args: ["-c", "echo up; while :; do sleep 0.05; done"] }),
  );
  const events: AgentEvent[] = [];
  for await (const event of session.events) {
    events.push(event);
    if (event.type === "text") await session.stopGently();
  }
  expect(events.at(-1)).toMatchObject({ reason: "interrupted", signal: "SIGINT" });
  expect(await session.askForNote({ prompt: "note", timeoutMs: 1 })).toBeUndefined();
  await session.end();
});

test("a program in any language can speak the protocol", async () => {
  const program = join(dir, "agent.sh");
  writeFileSync(
    program,
    `read -r prompt; printf %s "$prompt" > prompt.json
echo '{"type":"started","conversationId":"c-7"}'
echo '{"type":"usage","contextTokens":150,"windowTokens":1000,"later":"ignored"}'
read -r stop; echo "$stop" > stop.json
echo '{"type":"turn-end","reason":"interrupted"}'
read -r note; echo '{"type":"note","text":"HANDOFF: by hand"}'
cat > /dev/null`,
  );
  const session = await commandDriver.start(
    requestFor({ command: "sh", args: [program], protocol: "jsonl", contextWindow: 5 }),
  );
  const events: AgentEvent[] = [];
  for await (const event of session.events) {
    if (event.type !== "activity") events.push(event);
    if (event.type === "usage") await session.stopGently();
  }
  expect(JSON.parse(readFileSync(join(dir, "prompt.json"), "utf8"))).toMatchObject({ type: "prompt", dir });
  expect(JSON.parse(readFileSync(join(dir, "stop.json"), "utf8"))).toEqual({ type: "stop" });
  expect(events[1]).toMatchObject({ contextTokens: 150, windowTokens: 1000 });
  expect(events.at(-1)).toMatchObject({ reason: "interrupted" });
  expect(await session.askForNote({ prompt: "note", timeoutMs: 120_000 })).toBe("HANDOFF: by hand");
  await session.end();
});

test("settings that make no sense are refused with what they can be", () => {
  expect(() => commandDriver.describe(requestFor({}))).toThrow(/agents\.command needs a `command`/);
  expect(() => commandDriver.describe(requestFor({ command: "x", protocol: "soap" }))).toThrow(
    /protocol is "soap"; it can be text or jsonl/,
  );
});

test("finds a program by path and on PATH, and nothing else", async () => {
  const env = { PATH: `${dir}:/bin:/usr/bin` };
  expect(await findProgram("sh", env)).toMatch(/\/sh$/);
  writeFileSync(join(dir, "not-executable"), "");
  expect(await findProgram("not-executable", env)).toBeUndefined();
  expect(await findProgram(join(dir, "not-executable"), env)).toBeUndefined();
});

test("asks a program for its version, and does without", async () => {
  const env = { PATH: process.env["PATH"] ?? "" };
  expect(await readProgramVersion(process.execPath, env)).toBe(process.versions.node);
  expect(await readProgramVersion("no-such-program", env)).toBeUndefined();
  expect(await readProgramVersion("false", env)).toBeUndefined();
});

test("no line whatever makes the protocol's parser throw, and a good one comes back whole", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((type) => JSON.stringify({ type })),
      ),
      (line) => {
        const parsed = parseProgramLine(line);
        expect("problem" in parsed || "type" in parsed).toBe(true);
      },
    ),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      const line = { type: "text", text };
      expect(parseProgramLine(JSON.stringify(line))).toEqual(line);
    }),
  );
});
