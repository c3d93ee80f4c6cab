import { spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { errorText } from "../../core/errors.ts";
import type { ProgramLine } from "../command/protocol.ts";
import type { PlannedStep } from "./script.ts";

export type StepPorts = {
  dir: string;
  /** says a line to the supervisor; resolves once it has acted on it, where that can be asked for */
  say: (line: ProgramLine) => Promise<void>;
  writeRaw: (text: string) => void;
  writeStderr: (text: string) => void;
  now: () => number;
};

/** What comes after a step: the next one, or the end of the turn. */
export type StepOutcome = "next" | { reason: "error" | "rate-limit"; message: string } | { exitCode: number };

const forever = () =>
  new Promise<never>(() => {
    setInterval(() => undefined, 2 ** 30);
  });

const runCommand = (command: string, dir: string) =>
  new Promise<void>((done, fail) => {
    const child = spawn("/bin/sh", ["-c", command], { cwd: dir, stdio: "ignore" });
    child.on("error", fail);
    child.on("close", (code, signal) =>
      code === 0 ? done() : fail(new Error(code === null ? `ended by ${signal}` : `exited with ${code}`)),
    );
  });

const forkCommand = (command: string, dir: string): void => {
  // detached = setsid: the tool leaves our process group and session, as real agents' tools do.
  const child = spawn("/bin/sh", ["-c", command], { cwd: dir, stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
};

const waitForFile = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const watcher = watch(dirname(path));
  await new Promise<void>((done) => {
    const look = () => (existsSync(path) ? done() : undefined);
    watcher.on("change", look);
    look();
  });
  watcher.close();
};

const editFile = async (path: string, find: string, replace: string): Promise<void> => {
  const before = await readFile(path, "utf8");
  if (!before.includes(find)) throw new Error("the text to replace is not there");
  await writeFile(
    path,
    before.replace(find, () => replace),
  );
};

/** A tool that fails throws why. */
type Tool = { name: string; summary: string; use: () => Promise<void> | void };

const TOOL_STEPS = ["write", "append", "edit", "run", "fork", "waitForFile", "wait", "hang"] as const;
type ToolStep = Extract<PlannedStep, { do: (typeof TOOL_STEPS)[number] }>;
type PlainStep = Exclude<PlannedStep, ToolStep>;

/** Steps that a supervisor sees as tool calls. */
const isToolStep = (step: PlannedStep): step is ToolStep => TOOL_STEPS.some((name) => name === step.do);

const toolOf = (step: ToolStep, dir: string): Tool => {
  const at = "file" in step ? resolve(dir, step.file) : dir;
  const inFolder = async (
    write: (path: string, text: string) => Promise<void>,
    text: string,
  ): Promise<void> => {
    await mkdir(dirname(at), { recursive: true });
    await write(at, text);
  };
  switch (step.do) {
    case "write":
      return { name: "write", summary: step.file, use: () => inFolder(writeFile, step.text) };
    case "append":
      return { name: "append", summary: step.file, use: () => inFolder(appendFile, step.text) };
    case "edit":
      return { name: "edit", summary: step.file, use: () => editFile(at, step.find, step.replace) };
    case "run":
      return { name: "run", summary: step.command, use: () => runCommand(step.command, dir) };
    case "fork":
      return { name: "fork", summary: step.command, use: () => forkCommand(step.command, dir) };
    case "waitForFile":
      return { name: "wait", summary: `for ${step.file}`, use: () => waitForFile(at) };
    case "wait":
      return { name: "wait", summary: `${step.ms} ms`, use: () => pause(step.ms) };
    case "hang":
      return { name: "hang", summary: "for ever", use: forever };
  }
};

/** Why a tool failed; undefined when it did what it should. */
const failureOf = async (tool: Tool): Promise<string | undefined> => {
  try {
    await tool.use();
    return undefined;
  } catch (error) {
    return errorText(error);
  }
};

const useTool = async ({ say, writeStderr }: StepPorts, tool: Tool, id: string): Promise<void> => {
  await say({ type: "tool-start", id, name: tool.name, summary: tool.summary });
  const reason = await failureOf(tool);
  if (reason !== undefined) writeStderr(`${tool.name} ${tool.summary}: ${reason}\n`);
  await say({
    type: "tool-end",
    id,
    isError: reason !== undefined,
    ...(reason === undefined ? {} : { reason }),
  });
};

/** Does one step; `id` names it within the conversation. */
export const playStep = async (ports: StepPorts, step: PlannedStep, id: string): Promise<StepOutcome> => {
  if (!isToolStep(step)) return playPlainStep(ports, step, id);
  if (step.do === "hang" && step.stubborn)
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  await useTool(ports, toolOf(step, ports.dir), id);
  return "next";
};

const playPlainStep = async (ports: StepPorts, step: PlainStep, id: string): Promise<StepOutcome> => {
  switch (step.do) {
    case "say":
      await ports.say({ type: "text", text: step.text });
      return "next";
    case "usage":
      await ports.say({
        type: "usage",
        contextTokens: step.contextTokens,
        ...(step.windowTokens === undefined ? {} : { windowTokens: step.windowTokens }),
        ...(step.costUsd === undefined ? {} : { totalCostUsd: step.costUsd }),
        confirm: id,
      });
      return "next";
    case "think": {
      const { ms } = step;
      if (ms === undefined) return forever();
      await pause(ms);
      return "next";
    }
    case "raw":
      ports.writeRaw(step.text);
      return "next";
    case "stderr":
      ports.writeStderr(step.text);
      return "next";
    case "rateLimit": {
      const message = step.message ?? "scripted rate limit";
      const resetsAtMs =
        step.resetsAtMs ?? (step.resetsInMs === undefined ? undefined : ports.now() + step.resetsInMs);
      await ports.say({
        type: "rate-limit",
        message,
        ...(resetsAtMs === undefined ? {} : { resetsAtMs }),
      });
      return { reason: "rate-limit", message };
    }
    case "fail":
      return { reason: "error", message: step.message };
    case "exit":
      return { exitCode: step.code };
    case "crash":
      process.kill(process.pid, "SIGKILL");
      return forever();
  }
};
