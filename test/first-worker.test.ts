// @module-tag long
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findFreePort } from "./free-port.ts";
import { eventually } from "./eventually.ts";

// What README.md says under "Your own work", typed as it stands there, in a home of its own: from an empty
// folder to a worker that is done and verified.

const repo = resolve(import.meta.dirname, "..");
let base = "";
let project = "";
let env: Record<string, string> = {};
let serverPid: number | undefined;

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-first-")));
  project = join(base, "home/my-project");
  mkdirSync(join(project, "src"), { recursive: true });
  // A clone that is built; its dependencies are this one's, so that nothing is fetched.
  mkdirSync(join(base, "clone"));
  for (const name of ["dist", "check.mjs", "package.json"])
    cpSync(join(repo, name), join(base, "clone", name), { recursive: true });
  symlinkSync(join(repo, "node_modules"), join(base, "clone/node_modules"));
  writeFileSync(
    join(base, "gitconfig"),
    "[user]\n name = First\n email = first@localhost\n[init]\n defaultBranch = main\n",
  );
  const port = await findFreePort();
  env = {
    PATH: `${join(base, "prefix/bin")}:${process.env["PATH"] ?? ""}`,
    HOME: join(base, "home"),
    GIT_CONFIG_GLOBAL: join(base, "gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
    PORT: String(port), // nothing else says where the server is
    npm_config_prefix: join(base, "prefix"),
    npm_config_offline: "true",
    npm_config_ignore_scripts: "true", // the clone is built already
  };
});
afterEach(() => {
  spawnSync("worker", ["stop-all", "--now"], { env, cwd: base });
  if (serverPid !== undefined) process.kill(serverPid, "SIGTERM");
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

/** The blocks to paste of one section of the README. */
const readBlocks = (section: string): string[] => {
  const text = readFileSync(join(repo, "README.md"), "utf8").split(`## ${section}\n`)[1] ?? "";
  const own = text.split("\n## ")[0] ?? "";
  return [...own.matchAll(/```sh\n(.*?)```/gs)].map(([, code = ""]) => code);
};

const paste = (code: string, cwd: string): string =>
  execFileSync("bash", ["--norc", "-euo", "pipefail", "-c", code], { cwd, env, encoding: "utf8" });
const sh = (command: string): string => paste(command, project);

const ACTIVE = new Set(["starting", "running", "waiting", "stopping"]);

/** Resolves with the worker's state once it has come to its end. */
const whenDone = (name: string): Promise<{ status: string; sessions: unknown[] }> => {
  const folder = join(base, "home/.workers");
  return new Promise((resolve) => {
    const look = (): void => {
      const file = join(folder, `${name}.json`);
      if (!existsSync(file)) return;
      const state = JSON.parse(readFileSync(file, "utf8")) as { status: string; sessions: unknown[] };
      if (ACTIVE.has(state.status)) return;
      watcher.close();
      resolve(state);
    };
    const watcher = watch(folder, look);
    look();
  });
};

/** The prompts that workers of that name were given so far, the first first. */
const readPrompts = (): string[] =>
  readFileSync(join(base, "home/.workers/my-project.events.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"type":"prompt"'))
    .map((line) => String((JSON.parse(line) as { prompt: unknown }).prompt));

/** A small TypeScript project, as somebody might have it. */
const makeProject = (): void => {
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "hello", type: "module", scripts: { test: "node --test" } }),
  );
  writeFileSync(join(project, "src/hello.ts"), "export const hello = (name: any) => `Hello ${name}`;\n");
  sh("git init -q && git add -A && git commit -qm 'Say hello'");
};

const LEARNED = "a greeting ends without a full stop";
const HELLO_TEST = `import { strictEqual } from "node:assert";
import { test } from "node:test";

test("hello names the one it greets", () => strictEqual("Hello Ada", "Hello Ada"));
`;

/** The agent of this test plays a script; a person's config names claude, codex, … or nothing at all. */
const useScriptedAgent = (): void => {
  const command =
    "sed -i.bak 's/: any/: string/' src/hello.ts && rm src/hello.ts.bak && git commit -qam 'Name the type'";
  const learn = `nightshift memory add "tests for src/hello.ts" "${LEARNED}"`;
  const first = [
    { do: "run", command },
    { do: "run", command: learn },
    { do: "say", text: "The type is named.\n\nDONE: hello takes a string" },
  ];
  const second = [
    { do: "write", file: "src/hello.test.ts", text: HELLO_TEST },
    { do: "run", command: "git add -A && git commit -qm 'Test hello'" },
    { do: "say", text: "There is a test.\n\nDONE: hello is tested" },
  ];
  const script = join(base, "script.json");
  writeFileSync(script, JSON.stringify({ parts: [{ steps: first }, { steps: second }] }));
  const file = join(project, "agent.config.ts");
  const config = readFileSync(file, "utf8")
    .replace(
      "export default defineConfig({",
      `export default defineConfig({\n  agents: { scripted: { script: ${JSON.stringify(script)} } },`,
    )
    .replace(/"my-project": \{(?: agent: "\w+",)?/, `"my-project": { agent: "scripted",`);
  writeFileSync(file, config);
  sh("git commit -qam 'Play a script' && nightshift trust --yes");
};

test("what the README says, pasted, leads from an empty folder to a worker that is done: gates, critic, memory", async () => {
  const [install = "", setUp = "", work = "", next = "", ...more] = readBlocks("Your own work");
  expect(more).toEqual([]);
  paste(install, join(base, "clone"));
  makeProject();

  serverPid = Number(paste(`${setUp}\necho $!`, base).trim().split("\n").at(-1));
  expect(existsSync(join(project, ".claude/settings.json"))).toBe(true);
  await eventually(() =>
    fetch(`http://127.0.0.1:${env["PORT"]}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  ).toBe(true);
  const critic = spawnSync("node", [join(base, "home/.nightshift/check.mjs"), "skip the tests"], { env });
  expect(critic.status).toBe(1);
  useScriptedAgent();
  const before = spawnSync("sh", ["gates/health.sh"], { cwd: project, env, encoding: "utf8" });
  expect(before.status).toBe(1);
  expect(before.stdout).toContain("error any: src/hello.ts:1:");

  const shown = paste(work, base);
  expect(shown).toContain("my-project");
  const state = await whenDone("my-project");
  expect(state).toMatchObject({ status: "complete" });
  expect(spawnSync("sh", ["gates/health.sh"], { cwd: project, env }).status).toBe(0);
  expect(readFileSync(join(project, "src/hello.ts"), "utf8")).toContain("name: string");
  expect(sh("worker log my-project -n 400")).toContain(
    `memory: 1 learning from http://127.0.0.1:${env["PORT"]}`,
  );
  const [prompt] = readPrompts();
  expect(prompt).toContain("hello greets one person: its name is a string");
  expect(prompt).not.toContain(LEARNED);
  // The next one learns what this one's memory was told, and doctor says that it will.
  expect(readFileSync(join(project, "AGENTS.md"), "utf8")).toContain("nightshift memory add");
  const doctor = spawnSync("nightshift", ["doctor"], { cwd: project, env, encoding: "utf8" });
  expect(doctor.stdout).toMatch(/ok +memory +workers ask http:\/\/127\.0\.0\.1:\d+, with the key in/);

  expect(paste(next, base)).toContain("my-project");
  expect(await whenDone("my-project")).toMatchObject({ status: "complete" });
  expect(readPrompts().at(-1)).toContain(LEARNED);
});
