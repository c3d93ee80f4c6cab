import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Script, ScriptedStep } from "../../agents/scripted/script.ts";
import { findIdentity, isAlive } from "../../core/process-identity.ts";
import { waitFor } from "../wait-for.ts";
import { WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

const say = (text: string): ScriptedStep => ({ do: "say", text });
const HANG: Script = { parts: [{ steps: [say("up"), { do: "hang" }], note: "HANDOFF: was hanging" }] };
const START = ["--agent", "scripted", "--task", "the task"];

const hasSaid = (name: string, text: string) =>
  waitFor(`${name} to say ${text}`, () =>
    lab.events(name).some((event) => event.type === "text" && event["text"] === text),
  );

describe("one worker per directory", () => {
  test("refuses a second start with exit 75 and the holder's name, also through a symlink and from another HOME", async () => {
    lab.play(HANG);
    await lab.start("first");
    const link = join(lab.folder, "link");
    symlinkSync(lab.repository, link);
    mkdirSync(join(lab.repository, "sub"));
    const attempts = [
      await lab.worker("start", "second", ...START),
      await lab.worker("start", "second", ...START, "--dir", link),
      await lab.run("worker", ["start", "second", ...START], { env: { HOME: join(lab.folder, "other") } }),
      await lab.worker("start", "second", ...START, "--dir", "sub"),
      await lab.worker("start", "first", ...START),
    ];
    for (const { code, err } of attempts) {
      expect(code).toBe(75);
      expect(err).toMatch(/first.*\(pid \d+, since .*\); stop it with: worker stop first/);
    }
    expect(lab.state("second")).toBeUndefined();
    const shared = await lab.worker("start", "beside", ...START, "--dir", "sub", "--shared");
    expect(shared.code).toBe(0);
    expect((await lab.worker("stop-all", "--now")).code).toBe(0);
  });

  test("lets exactly one of two racing starts win, 50 times out of 50", async () => {
    lab.play({ parts: [{ steps: [say("DONE: quick")] }] });
    const rounds = Number(process.env["NIGHTSHIFT_RACE_ROUNDS"] ?? 50);
    for (let round = 0; round < rounds; round++) {
      const names = [`a${round}`, `b${round}`];
      // The winner holds on until both have been answered.
      lab.play(HANG, {}, lab.repository);
      const answers = await Promise.all(names.map((name) => lab.worker("start", name, ...START)));
      expect(answers.map(({ code }) => code).toSorted((x, y) => x - y)).toEqual([0, 75]);
      await lab.worker("stop-all", "--now");
    }
  }, 300_000);
});

describe("kill -9 of the supervisor", () => {
  const steps: [string, Script, () => Promise<() => Promise<void>>][] = [
    [
      "gates",
      HANG,
      async () => {
        lab.put(
          "gates/health.sh",
          "#!/bin/sh\ntouch ../gate-runs\nwhile ! test -f ../go; do sleep 0.02; done\n",
          0o755,
        );
        return async () => void (await waitFor("the gate", () => existsSync(join(lab.folder, "gate-runs"))));
      },
    ],
    ["the agent's work", HANG, async () => async () => void (await hasSaid("w", "up"))],
    [
      "a tool call",
      { parts: [{ steps: [{ do: "run", command: "echo $$ > ../tool; exec sleep 60" }] }] },
      async () => async () => void (await waitFor("the tool", () => existsSync(join(lab.folder, "tool")))),
    ],
    [
      "the closing note",
      { parts: [{ steps: [{ do: "usage", contextTokens: 160_000, windowTokens: 200_000 }], note: null }] },
      async () => async () =>
        void (await waitFor("the note request", () =>
          readFileSync(join(lab.workers, "w.log"), "utf8").includes("closing note asked for"),
        )),
    ],
  ];

  test.each(steps)(
    "during %s: list says crashed, nothing of it runs on, the next start takes over",
    async (_, script, prepare) => {
      const reached = await prepare();
      lab.play(script);
      await lab.start("w");
      await reached();
      const crashed = lab.state("w");
      process.kill(crashed?.supervisor.pid ?? 0, "SIGKILL");
      await waitFor("the supervisor to be gone", () => crashed && !isAlive(crashed.supervisor));
      const { out } = await lab.worker("list", "--json");
      expect(JSON.parse(out)).toMatchObject([{ name: "w", shown: "crashed" }]);
      writeFileSync(join(lab.folder, "go"), "");
      lab.play({ parts: [{ steps: [say("DONE: after the crash")] }] });
      await lab.start("w");
      expect((await lab.ended("w")).sessions[0]?.endReason).toBe("done");
      for (const { mark } of crashed?.sessions ?? [])
        expect(
          execFileSync("sh", ["-c", `grep -la ${mark} /proc/[0-9]*/environ 2>/dev/null || true`], {
            encoding: "utf8",
          }),
        ).toBe("");
    },
  );

  test("at 25 random moments leaves a state that parses and a directory that starts again", async () => {
    lab.gateOn("README");
    const busy: Script = {
      parts: [
        { steps: [{ do: "usage", contextTokens: 160_000, windowTokens: 200_000 }], note: "HANDOFF: on" },
      ],
    };
    lab.play(busy, { workers: { w: { max: 1000, limits: { stalledSessions: 1000 } } } });
    let delay = 7;
    for (let round = 0; round < 25; round++) {
      const started = await lab.worker("start", "w", ...START);
      expect(started).toMatchObject({ code: 0 });
      delay = (delay * 31 + 17) % 400;
      const killAt = performance.now() + delay;
      const pid = await waitFor(
        "the moment",
        () => performance.now() > killAt && lab.state("w")?.supervisor.pid,
      );
      process.kill(pid, "SIGKILL");
      await waitFor("the end", () => findIdentity(pid) === undefined);
      expect(lab.state("w")?.shown).toBe("crashed");
    }
    lab.play({ parts: [{ steps: [say("DONE: at last")] }] });
    await lab.start("w");
    expect((await lab.ended("w")).status).toBe("complete");
    expect(
      readdirSync(lab.workers, { recursive: true }).filter((name) => String(name).endsWith(".tmp")),
    ).toEqual([]);
  }, 180_000);

  test("resume goes on from the last handoff with the count of sessions so far", async () => {
    lab.gateOn("README");
    lab.play({
      parts: [
        {
          steps: [
            { do: "write", file: "a.txt", text: "a" },
            { do: "usage", contextTokens: 160_000, windowTokens: 200_000 },
          ],
          note: "HANDOFF: half done",
        },
        { steps: [say("up"), { do: "hang" }] },
        { steps: [{ do: "run", command: "git add -A && git commit -qm all" }, say("DONE: whole")] },
      ],
    });
    await lab.start("w");
    await hasSaid("w", "up");
    process.kill(lab.state("w")?.supervisor.pid ?? 0, "SIGKILL");
    await waitFor("the crash", () => lab.state("w")?.shown === "crashed");
    expect((await lab.worker("resume", "w")).code).toBe(0);
    const state = await lab.ended("w");
    expect(state).toMatchObject({ status: "complete", session: 3 });
    expect(state.sessions.map((record) => record.endReason)).toEqual(["context", "error", "done"]);
    expect(lab.prompts("w").at(-1)).toContain("half done");
    expect(lab.git(lab.repository, "show", "refs/nightshift/rescue/w/2:a.txt")).toBe("a");
  });
});

describe("stopping", () => {
  test("asks for the handoff and ends every process, tools in groups of their own included", async () => {
    lab.play({
      parts: [
        {
          steps: [
            { do: "fork", command: "echo $$ > ../forked; exec sleep 300" },
            {
              do: "run",
              command:
                "(setsid sh -c 'trap \"\" TERM; echo $$ > ../stubborn; while :; do sleep 1; done' >/dev/null 2>&1 &) ; while ! test -s ../stubborn; do sleep 0.01; done",
            },
            say("up"),
            { do: "repeat", times: 2_000, steps: [{ do: "wait", ms: 50 }] },
          ],
          note: "HANDOFF: stopped on the way",
        },
      ],
    });
    const bystander = spawnSync("sh", ["-c", "sleep 300 >/dev/null 2>&1 & echo $!"], { encoding: "utf8" });
    await lab.start("w");
    await hasSaid("w", "up");
    const stopped = await lab.worker("stop", "w");
    expect(stopped.out).toContain("w: running -> stopped (stopped by request)");
    for (const name of ["forked", "stubborn"])
      expect(findIdentity(Number(readFileSync(join(lab.folder, name), "utf8")))).toBeUndefined();
    expect(readFileSync(join(lab.workers, "w/handoffs/001.md"), "utf8")).toContain("stopped on the way");
    const bystanderPid = Number(bystander.stdout.trim());
    expect(findIdentity(bystanderPid)).toBeDefined();
    process.kill(bystanderPid);
  });

  test("ends at once with --now, and a stop for a dead worker does not stop its next run", async () => {
    lab.play({ parts: [{ steps: [say("up"), { do: "hang", stubborn: true }], note: null }] });
    await lab.start("w");
    await hasSaid("w", "up");
    expect((await lab.worker("stop", "w", "--now")).out).toContain("stopped");
    expect(lab.leftovers("w")).toEqual([]);
    expect((await lab.worker("stop", "w")).code).toBe(0);
    lab.play({ parts: [{ steps: [say("DONE: again")] }] });
    await lab.start("w");
    expect((await lab.ended("w")).status).toBe("unverified");
  });

  test("adjust changes the running loop, and remove forgets only what has ended", async () => {
    lab.play({
      parts: [
        { steps: [say("up"), { do: "waitForFile", file: "../go" }, say("HANDOFF: next")] },
        { steps: [say("DONE: adjusted")] },
      ],
    });
    await lab.start("w", "--max", "1");
    await hasSaid("w", "up");
    expect((await lab.worker("remove", "w")).code).toBe(75);
    expect((await lab.worker("adjust", "w", "--max", "5", "--task", "another task")).code).toBe(0);
    await waitFor("the adjustment", () => lab.state("w")?.max === 5);
    writeFileSync(join(lab.folder, "go"), "");
    expect(await lab.ended("w")).toMatchObject({ status: "unverified", session: 2, task: "another task" });
    expect(lab.prompts("w").at(-1)?.startsWith("WORKER MODE: another task\n")).toBe(true);
    expect((await lab.worker("adjust", "w", "--max", "5")).code).toBe(75);
    expect((await lab.worker("log", "w", "-n", "1")).out).toContain("worker w ended: unverified");
    expect((await lab.worker("remove", "w")).code).toBe(0);
    expect(readdirSync(lab.workers)).toEqual([]);
    expect((await lab.worker("status", "w")).code).toBe(66);
  });
});

describe("bad input", () => {
  test("is refused with the thing, the value and the next step, and leaves nothing behind", async () => {
    lab.play(HANG, { workers: { docs: { task: "x" } } });
    const cases: [string[], number, RegExp][] = [
      [
        ["start", "w", "--agent", "scripted"],
        64,
        /worker w has no task; pass --task .*\(declared workers: docs\)/,
      ],
      [["start", "dcos", "--agent", "scripted"], 64, /did you mean the declared worker docs\?/],
      [["start", "../evil", ...START], 64, /worker name "\.\.\/evil" cannot be used/],
      [["start", "w", ...START, "--dir", "/no/such"], 66, /folder \/no\/such does not exist/],
      [["start", "w", ...START, "--dir", "README"], 64, /README is a file; --dir takes a folder/],
      [["start", "w", ...START, "--max", "0"], 64, /--max: 0 is below the least, 1/],
      [["start", "w", ...START, "--max", "many"], 64, /--max: "many" is not a whole number/],
      [["start", "w", "--task", "x", "--agent", "clade"], 78, /no agent "clade"; did you mean claude\?/],
      [["start", "w", "--task", "x", "--agent", "claude"], 69, /agent claude \(Claude Code\) was not found/],
      [["start", "w", "--task", "x"], 69, /./],
      [["strat"], 64, /did you mean: worker start\?/],
      [["status", "nobody"], 66, /no worker "nobody"/],
    ];
    lab.env["PATH"] = "/usr/bin:/bin";
    writeFileSync(
      join(lab.repository, "agent.config.json"),
      JSON.stringify({ workers: { docs: { task: "x" } } }),
    );
    for (const [args, code, message] of cases) {
      if (args.join(" ").includes("scripted")) continue;
      const run = await lab.worker(...args);
      expect([args, run.code]).toEqual([args, code]);
      expect(run.err).toMatch(message);
    }
    lab.play(HANG, { workers: { docs: { task: "x" } } });
    for (const [args, code, message] of cases) {
      if (!args.join(" ").includes("scripted")) continue;
      const run = await lab.worker(...args);
      expect([args, run.code]).toEqual([args, code]);
      expect(run.err).toMatch(message);
    }
    writeFileSync(join(lab.repository, "agent.config.json"), `{ "wrokers": {}, "tasks": 3 }`);
    const config = await lab.worker("start", "w", ...START);
    expect(config.code).toBe(78);
    expect(config.err).toContain('wrokers: unknown key "wrokers"; did you mean "workers"?');
    expect(config.err).toContain("tasks: is 3; it must be a string");
    expect(existsSync(join(lab.workers, "w.json"))).toBe(false);
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
    await hasSaid("w", "up");
    expect(existsSync(join(plain, ".nightshift/worker.lock"))).toBe(true);
    writeFileSync(join(lab.folder, "go"), "");
    const state = await lab.ended("w");
    expect(state).toMatchObject({ status: "unverified", session: 1 });
    expect(state.sessions[0]).toMatchObject({ hasChanged: true, commits: [] });
  });

  test.each([
    [
      "prints garbage and leaves",
      { command: "sh", args: ["-c", "head -c 20000 /dev/urandom; echo; exit 0"], protocol: "jsonl" },
      /left before its turn ended|turn/,
    ],
    [
      "exits at once with an error",
      { command: "sh", args: ["-c", "echo 'bad key' >&2; exit 3"] },
      /bad key|exit/,
    ],
    ["is killed by a signal", { command: "sh", args: ["-c", "kill -9 $$"] }, /SIGKILL|ended/],
  ])(
    "an agent that %s fails after three tries with backoff, without a hot loop",
    async (_, agent, message) => {
      writeFileSync(
        join(lab.repository, "agent.config.json"),
        JSON.stringify({
          agents: { mine: agent },
          workers: { w: { task: "x", limits: { backoffSeconds: 0.05 } } },
        }),
      );
      expect((await lab.worker("start", "w", "--agent", "mine")).code).toBe(0);
      const state = await lab.ended("w");
      expect(state).toMatchObject({ status: "failed", session: 3 });
      expect(state.stopReason).toMatch(/the same error 3 times in a row/);
      expect(state.sessions[0]?.error).toMatch(message);
      expect(readFileSync(join(lab.workers, "w.log"), "utf8").match(/pausing/g)).toHaveLength(2);
    },
  );

  test("says what is wrong with a state folder that cannot be written, and starts nothing", async () => {
    lab.play(HANG);
    writeFileSync(join(lab.folder, "file"), "");
    const run = await lab.run("worker", ["start", "w", ...START], {
      env: { WORKERS_HOME: join(lab.folder, "file/workers") },
    });
    expect(run.code).toBe(69);
    expect(run.err).toContain(join(lab.folder, "file/workers"));
    const damaged = join(lab.workers, "bad.json");
    mkdirSync(lab.workers, { recursive: true });
    writeFileSync(damaged, "{ half");
    const list = await lab.worker("list");
    expect(list).toMatchObject({ code: 0 });
    expect(list.err).toContain(`${damaged} is not JSON`);
    expect((await lab.worker("start", "bad", ...START)).code).toBe(65);
  });

  const canMount =
    spawnSync("sh", ["-c", "d=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d"]).status ===
    0;
  test.skipIf(!canMount)("refuses to start on a full disk with exit 74, half-written nothing", async () => {
    lab.play(HANG);
    const full = join(lab.folder, "full");
    mkdirSync(full);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", full]);
    try {
      spawnSync("sh", ["-c", `head -c 200k /dev/zero > ${full}/fill`]);
      const run = await lab.run("worker", ["start", "w", ...START], { env: { WORKERS_HOME: full } });
      expect(run.code).toBe(74);
      expect(run.err).toContain("the disk is full; free some room and try again");
      expect(existsSync(join(full, "w.json"))).toBe(false);
    } finally {
      execFileSync("umount", [full]);
    }
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

test("a memory service that hangs holds a session up for two seconds at most, once", async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
  lab.play({ parts: [{ steps: [say("DONE: without memory")] }] }, { memory: { url } });
  await lab.start("w");
  expect((await lab.ended("w")).status).toBe("unverified");
  expect(readFileSync(join(lab.workers, "w.log"), "utf8")).toContain(`${url} did not answer within 2 s`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
