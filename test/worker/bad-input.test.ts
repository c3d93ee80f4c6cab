import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HANG, say, START, WorkerLab } from "./worker-lab.ts";

const DOCS = { workers: { docs: { task: "x" } } };

describe("a command that is refused", () => {
  let lab: WorkerLab;
  beforeAll(() => {
    lab = new WorkerLab();
    lab.play(HANG, DOCS);
  });
  afterAll(() => lab.dispose());

  test.each<[args: string[], code: number, message: RegExp]>([
    [
      ["start", "w", "--agent", "scripted"],
      64,
      /worker w has no task; pass --task .*\(declared workers: docs\)/,
    ],
    [["start", "dcos", "--agent", "scripted"], 64, /did you mean the declared worker docs\?/],
    [["start", "../evil", ...START], 64, /worker name "\.\.\/evil" is not valid/],
    [["start", "w", ...START, "--dir", "/no/such"], 66, /folder \/no\/such does not exist/],
    [["start", "w", ...START, "--dir", "README"], 64, /README is a file; --dir takes a folder/],
    [["start", "w", ...START, "--max", "0"], 64, /--max: 0 must be at least 1/],
    [["start", "w", ...START, "--max", "many"], 64, /--max: "many" is not a whole number/],
    [["strat"], 64, /did you mean: worker start\?/],
    [["status", "nobody"], 66, /no worker "nobody"/],
  ])(
    "worker %j exits with %i, names what is wrong and leaves nothing behind",
    async (args, code, message) => {
      const run = await lab.worker(...args);
      expect(run.code).toBe(code);
      expect(run.err).toMatch(message);
      expect(existsSync(lab.workers)).toBe(false);
    },
  );
});

describe("where no agent is installed", () => {
  let lab: WorkerLab;
  beforeAll(() => {
    lab = new WorkerLab();
    lab.env["PATH"] = "/usr/bin:/bin";
    writeFileSync(join(lab.repository, "agent.config.json"), JSON.stringify(DOCS));
  });
  afterAll(() => lab.dispose());

  test.each<[args: string[], code: number, message: RegExp]>([
    [["--agent", "clade"], 78, /no agent "clade"; did you mean claude\?/],
    [["--agent", "claude"], 69, /agent claude \(Claude Code\) was not found/],
    [
      [],
      69,
      /no coding agent was found; looked on PATH for: claude .* Install one, for example with `npm install --global @anthropic-ai\/claude-code`, or declare/,
    ],
  ])("worker start with %j exits with %i and says so", async (args, code, message) => {
    const run = await lab.worker("start", "w", "--task", "x", ...args);
    expect(run.code).toBe(code);
    expect(run.err).toMatch(message);
    expect(existsSync(lab.workers)).toBe(false);
  });
});

describe("a worker", () => {
  let lab: WorkerLab;
  beforeEach(() => {
    lab = new WorkerLab();
  });
  afterEach(() => lab.dispose());
  const declare = (config: string): void => writeFileSync(join(lab.repository, "agent.config.json"), config);

  test("tells every fault of the config at once, and starts nothing", async () => {
    declare(`{ "wrokers": {}, "tasks": 3 }`);
    const run = await lab.worker("start", "w", ...START);
    expect(run.code).toBe(78);
    expect(run.err).toContain('wrokers: unknown key "wrokers"; did you mean "workers"?');
    expect(run.err).toContain("tasks: is 3; it must be a string");
    expect(existsSync(lab.workers)).toBe(false);
  });

  test("works in a directory that is no repository, with its lock there", async () => {
    const plain = join(lab.folder, "plain");
    mkdirSync(plain);
    lab.play({
      parts: [
        {
          steps: [
            { do: "write", file: "x.txt", text: "x" },
            say("up"),
            { do: "waitForFile", file: "../go" },
            say("DONE: fine"),
          ],
        },
      ],
    });
    writeFileSync(join(plain, "agent.config.json"), lab.read("agent.config.json"));
    await lab.start("w", "--dir", plain, "--max", "2");
    await lab.hasSaid("w", "up");
    expect(existsSync(join(plain, ".nightshift/worker.lock"))).toBe(true);
    writeFileSync(join(lab.folder, "go"), "");
    const state = await lab.ended("w");
    expect(state).toMatchObject({ status: "unverified", session: 1 });
    expect(state.sessions[0]).toMatchObject({ hasChanged: true, commits: [] });
  });

  test("shows prompt and command line with --dry-run and starts nothing", async () => {
    lab.play(HANG);
    const run = await lab.worker("start", "w", ...START, "--dry-run", "--json");
    const shown = JSON.parse(run.out) as { prompt: string; command: string };
    expect(shown.prompt.startsWith("WORKER MODE: the task\n")).toBe(true);
    expect(shown.command).toBe(process.execPath);
    expect(existsSync(lab.workers)).toBe(false);
  });
});
