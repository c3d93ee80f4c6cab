import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

// What docs/getting-started.md says, typed: from an empty folder to a worker that is done and verified.

const dist = resolve(import.meta.dirname, "../dist/scripts");
let base = "";
let project = "";
let env: Record<string, string> = {};
let server: ChildProcess | undefined;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-first-")));
  project = join(base, "hello");
  mkdirSync(join(base, "home"));
  mkdirSync(join(base, "bin"));
  for (const [name, file] of [
    ["nightshift", "nightshift.js"],
    ["worker", "worker.js"],
  ] as const) {
    writeFileSync(join(base, "bin", name), `#!/bin/sh\nexec node '${join(dist, file)}' "$@"\n`);
    chmodSync(join(base, "bin", name), 0o755);
  }
  writeFileSync(
    join(base, "gitconfig"),
    "[user]\n name = First\n email = first@localhost\n[init]\n defaultBranch = main\n",
  );
  env = {
    PATH: `${join(base, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: join(base, "home"),
    GIT_CONFIG_GLOBAL: join(base, "gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
});
afterEach(() => {
  spawnSync(join(base, "bin/worker"), ["stop-all", "--now"], { env, cwd: base });
  server?.kill("SIGTERM");
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

const sh = (command: string): string =>
  execFileSync("sh", ["-ec", command], { cwd: project, env, encoding: "utf8" });

const startServer = async (): Promise<string> => {
  const child = spawn("node", [resolve(dist, "../server/main.js")], {
    env: { ...env, PORT: "0", NIGHTSHIFT_HOME: join(base, "home/.nightshift") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  server = child;
  let said = "";
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (url) resolve(url);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`the server ended: ${said}`)));
  });
};

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

test("from an empty folder to a worker that is done, gates green, critic hooked in, memory asked", async () => {
  const url = await startServer();
  mkdirSync(project);
  sh("git init -q");
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "hello", type: "module", scripts: { test: "node --test" } }),
  );
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "src/hello.ts"), "export const hello = (name: any) => `Hello ${name}`;\n");
  sh("git add -A && git commit -qm 'Say hello'");

  sh("nightshift init --yes --hooks");
  expect(existsSync(join(project, ".claude/settings.json"))).toBe(true);
  // The agent of this test plays a script; a person's config names claude, codex, … or nothing at all.
  const script = {
    parts: [
      {
        steps: [
          {
            do: "run",
            command:
              "sed -i.bak 's/: any/: string/' src/hello.ts && rm src/hello.ts.bak && git commit -qam 'Name the type'",
          },
          { do: "say", text: "The type is named.\n\nDONE: hello takes a string" },
        ],
      },
    ],
  };
  writeFileSync(join(base, "script.json"), JSON.stringify(script));
  const config = readFileSync(join(project, "agent.config.ts"), "utf8");
  writeFileSync(
    join(project, "agent.config.ts"),
    config
      .replace(
        "export default defineConfig({",
        `export default defineConfig({\n  agents: { scripted: { script: ${JSON.stringify(join(base, "script.json"))} } },\n  memory: { url: ${JSON.stringify(url)} },`,
      )
      .replace("main: {", `main: { agent: "scripted",`),
  );
  sh("git add -A && git commit -qm 'Set Nightshift up'");

  const before = spawnSync("sh", ["gates/health.sh"], { cwd: project, env, encoding: "utf8" });
  expect(before.status).toBe(1);
  expect(before.stdout).toContain("error any: src/hello.ts:1:");

  sh(`worker start main --task "Replace the any in src/hello.ts"`);
  const state = await whenDone("main");
  expect(state).toMatchObject({ status: "complete" });
  expect(spawnSync("sh", ["gates/health.sh"], { cwd: project, env }).status).toBe(0);
  expect(readFileSync(join(project, "src/hello.ts"), "utf8")).toContain("name: string");
});
