import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addHook, removeHook } from "./agent-hooks.ts";

const cli = resolve(import.meta.dirname, "../../dist/scripts/nightshift.js");
let root = "";
let home = "";
beforeEach(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-init-")));
  root = join(base, "project");
  home = join(base, "home");
  mkdirSync(root);
  mkdirSync(home);
  spawnSync("git", ["init", "-q", root]);
});
afterEach(() => rmSync(dirname(root), { recursive: true, force: true }));

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const read = (path: string) => readFileSync(join(root, path), "utf8");
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync("node", [cli, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: home },
    encoding: "utf8",
    input: "",
  });
  return { status, stdout, stderr };
};

const project = () => {
  put(
    "package.json",
    JSON.stringify({
      name: "p",
      packageManager: "pnpm@10.0.0",
      scripts: { test: "node --test", lint: "eslint ." },
    }),
  );
  put("tsconfig.json", "{}");
};

test("finds what the project has, and writes a config that Nightshift itself accepts and runs", () => {
  project();
  const { status, stdout } = run("init", "--yes");
  expect(status).toBe(0);
  expect(stdout).toContain("pnpm, TypeScript");
  expect(read("agent.config.ts")).toContain(`test: { command: "pnpm test"`);
  expect(read("agent.config.ts")).toContain(`lint: { command: "pnpm run lint"`);
  const gates = JSON.parse(run("gate", "--list", "--json").stdout) as { id: string }[];
  expect(gates.map(({ id }) => id)).toEqual([
    "types",
    "uncommitted",
    "any",
    "todo",
    "console",
    "test",
    "lint",
  ]);
  expect(statSync(join(root, "gates/health.sh")).mode & 0o111).not.toBe(0);
});

test("gates/health.sh works where the package is not installed, and blocks on what is uncommitted", () => {
  run("init", "--yes");
  const { status, stdout } = spawnSync(join(root, "gates/health.sh"), ["--json"], {
    env: { PATH: process.env["PATH"], HOME: home },
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: "fail",
    gates: [{ id: "types" }, { id: "uncommitted", result: "fail" }, {}, {}, {}],
  });
});

test("changes nothing on a dry run, and nothing the second time", () => {
  project();
  expect(run("init", "--dry-run", "--hooks", "--ci").stdout).toContain("create   agent.config.ts");
  expect([existsSync(join(root, "agent.config.ts")), existsSync(join(home, ".nightshift"))]).toEqual([
    false,
    false,
  ]);
  run("init", "--yes", "--hooks", "--ci");
  expect(run("init", "--yes", "--hooks", "--ci").stdout).toContain("everything is there already");
});

test("does not replace what is there without being told, and adds to AGENTS.md instead of replacing it", () => {
  put("gates/health.sh", "#!/bin/sh\nexit 0\n");
  put("AGENTS.md", "# Mine\n");
  const { stderr } = run("init", "--yes");
  expect(stderr).toContain("kept gates/health.sh as it is");
  expect(read("gates/health.sh")).toBe("#!/bin/sh\nexit 0\n");
  expect(read("AGENTS.md")).toMatch(/^# Mine\n\n<!-- nightshift: begin -->/);
  run("init", "--yes", "--force");
  expect(read("gates/health.sh")).toContain("nightshift gate");
});

test("writes the workflow that docs/ci.md shows, and its last step fails on what the gates find", () => {
  put("package.json", JSON.stringify({ name: "p", scripts: { test: "true" } }));
  run("init", "--yes", "--ci");
  const workflow = read(".github/workflows/gates.yml");
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/ci.md"), "utf8");
  expect(page).toContain(workflow.trim());
  const steps = [...workflow.matchAll(/- run: (.+)/g)].map(([, command = ""]) => command);
  const last = spawnSync("sh", ["-c", steps.at(-1) ?? ""], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: home },
    encoding: "utf8",
  });
  expect(last.status).toBe(1);
  expect(last.stdout).toContain("::error file=package.json,title=gate uncommitted::");
});

test("asks, and without a terminal writes nothing unless --yes says so", () => {
  expect(run("init")).toMatchObject({ status: 64 });
  expect(existsSync(join(root, "agent.config.ts"))).toBe(false);
});

test("what it says comes next, pasted, ends in a green gate", () => {
  put("package.json", JSON.stringify({ name: "p", version: "1.0.0", scripts: { test: "true" } }));
  put("node_modules/nightshift/package.json", "{}"); // as if it were installed: no download in a test
  put(".git/info/exclude", ".claude/\n"); // what git is told to ignore cannot be added
  const env = { PATH: process.env["PATH"], HOME: home };
  const sh = (script: string) => spawnSync("sh", ["-c", script], { cwd: root, env, encoding: "utf8" });
  expect(
    sh("git add package.json && git config user.name T && git config user.email t@t.example").status,
  ).toBe(0);
  const { stdout } = run("init", "--yes", "--hooks", "--ci");
  const steps = stdout.split("next:\n")[1]?.split("\n") ?? [];
  const upToGate = steps.slice(0, steps.findIndex((step) => step.includes("gates/health.sh  ")) + 1);
  const gate = sh(["set -e", ...upToGate].join("\n"));
  expect(gate.status, gate.stdout + gate.stderr).toBe(0);
  expect(sh("git status --porcelain").stdout).toBe("");
});

test.skipIf(spawnSync("script", ["--version"]).status !== 0)(
  "a no to the first question is a no to all of it",
  async () => {
    put("gates/health.sh", "#!/bin/sh\nexit 0\n");
    const answered = spawnSync("script", ["-qec", `node ${cli} init`, "/dev/null"], {
      cwd: root,
      env: { PATH: process.env["PATH"], HOME: home, TERM: "dumb" },
      encoding: "utf8",
      input: "n\ny\n",
    });
    expect(answered.stdout).toContain("Write this?");
    expect(answered.stdout).not.toContain("Replace gates/health.sh");
    expect(answered.stdout).toContain("nothing was written");
    expect(readdirSync(root).toSorted()).toEqual([".git", "gates"]);
  },
);

test("undoing gives a replaced file its content and its mode", () => {
  put("gates/health.sh", "mine\n");
  run("init", "--yes", "--force");
  expect(statSync(join(root, "gates/health.sh")).mode & 0o777).toBe(0o755);
  const { stdout } = run("init", "--undo");
  expect([read("gates/health.sh"), statSync(join(root, "gates/health.sh")).mode & 0o777]).toEqual([
    "mine\n",
    0o644,
  ]);
  expect(stdout).toContain("left alone: ~/.nightshift");
});

test("takes back exactly what it wrote, and keeps what somebody changed since", () => {
  put("AGENTS.md", "# Mine\n");
  run("init", "--yes", "--hooks", "--ci");
  put("agent.config.ts", "export default {};\n");
  const { status, stdout } = run("init", "--undo");
  expect(status).toBe(1);
  expect(stdout).toContain("kept, because it was changed since: agent.config.ts");
  expect(read("AGENTS.md")).toBe("# Mine\n");
  expect(
    ["gates/health.sh", ".claude/settings.json", ".github/workflows/gates.yml"].filter((path) =>
      existsSync(join(root, path)),
    ),
  ).toEqual([]);
  expect(run("init", "--undo").status).toBe(1);
  rmSync(join(root, ".nightshift"), { recursive: true });
  expect(run("init", "--undo").status).toBe(66);
});

test("a type check of the whole folder stays green, whether the package is in the project or not", () => {
  put("tsconfig.json", '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] } }');
  run("init", "--yes");
  const tsc = resolve(import.meta.dirname, "../../node_modules/.bin/tsc");
  expect(spawnSync(tsc, ["-p", "."], { cwd: root, encoding: "utf8" }).stdout).toBe("");
  run("init", "--undo");
  put("node_modules/nightshift/package.json", "{}");
  run("init", "--yes");
  expect(read("agent.config.ts")).toMatch(/^import/);
});

test("a folder that is not there is named, and nothing is made", () => {
  expect(run("init", "nowhere", "--yes").status).toBe(66);
  expect(readdirSync(root)).toEqual([".git"]);
});

test("undoing leaves no folder that init made, and every one that somebody uses", () => {
  put(".github/CODEOWNERS", "* @us\n");
  run("init", "--yes", "--hooks", "--ci");
  expect(run("init", "--undo").status).toBe(0);
  expect(readdirSync(root).toSorted()).toEqual([".git", ".github"]);
  expect(readdirSync(join(root, ".github"))).toEqual(["CODEOWNERS"]);
  run("init", "--yes");
  put("gates/mine.sh", "exit 0\n");
  expect(run("init", "--undo").status).toBe(0);
  expect(readdirSync(join(root, "gates"))).toEqual(["mine.sh"]);
});

test("an init that was cut short is undone as far as it came", () => {
  run("init", "--yes", "--ci");
  rmSync(join(root, ".github/workflows/gates.yml"));
  const { status, stdout } = run("init", "--undo");
  expect(status).toBe(0);
  expect(stdout).not.toContain("gates.yml");
  expect(existsSync(join(root, "agent.config.ts"))).toBe(false);
});

test("the installed hook stops, passes, and blocks when the critic is gone", () => {
  run("init", "--yes", "--hooks");
  const settings = JSON.parse(read(".claude/settings.json")) as {
    hooks: { PreToolUse: { hooks: { command: string }[] }[] };
  };
  const command = settings.hooks.PreToolUse[0]?.hooks[0]?.command ?? "";
  const hook = (bash: string) =>
    spawnSync("sh", ["-c", command], {
      cwd: root,
      env: { PATH: process.env["PATH"], HOME: home },
      input: JSON.stringify({ tool_name: "Bash", tool_input: { command: bash } }),
      encoding: "utf8",
    }).status;
  expect(hook("git push --no-verify")).toBe(2);
  expect(hook("npm test")).toBe(0);
  rmSync(join(home, ".nightshift"), { recursive: true });
  expect(hook("npm test")).toBe(2);
  expect(run("doctor").stdout).toContain("fix: nightshift init --home --yes");
});

test("a hook goes in once and comes out again, whatever else the file holds", () => {
  const mine = {
    permissions: { allow: ["Bash(ls)"] },
    hooks: {
      Stop: [{ hooks: [] }],
      PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "mine" }] }],
    },
  };
  const text = `${JSON.stringify(mine, undefined, 2)}\n`;
  const once = addHook(text, { agent: "claude", script: `"$HOME/.nightshift/check.mjs"` });
  const twice = addHook(once, {
    agent: "claude",
    script: `"$CLAUDE_PROJECT_DIR/node_modules/nightshift/check.mjs"`,
  });
  expect(twice.match(/check\.mjs/g)).toHaveLength(1);
  expect(removeHook(twice, "claude")).toBe(text);
  expect(removeHook(addHook(undefined, { agent: "codex", script: "x/check.mjs" }), "codex")).toBeUndefined();
  expect(() => addHook("{", { agent: "claude", script: "x" })).toThrow(
    ".claude/settings.json is no JSON object",
  );
});

test("--home installs the critic alone", () => {
  expect(run("init", "--home", "--yes").status).toBe(0);
  const check = (text: string) =>
    spawnSync("node", [join(home, ".nightshift/check.mjs"), text], { cwd: root, encoding: "utf8" }).status;
  expect([check("skip the tests"), check("run the tests")]).toEqual([1, 0]);
  expect(existsSync(join(root, "agent.config.ts"))).toBe(false);
});

test("doctor names what is wrong with its fix, says of credentials only where they are, and exits 1 for what is broken", () => {
  project();
  const program = (name: string) => {
    mkdirSync(join(home, "bin"), { recursive: true });
    writeFileSync(join(home, "bin", name), "#!/bin/sh\necho 9.8.7\n", { mode: 0o755 });
  };
  program("claude");
  program("codex");
  writeFileSync(join(home, ".memory-api-key"), "secret-key-value", { mode: 0o644 });
  put("agent.config.json", JSON.stringify({ gates: { lint: { comand: "x" } } }));
  put(
    ".nightshift/locks/db.lock",
    JSON.stringify({ pid: 999_999, startTime: "1", bootId: "x", label: "task old", since: "y" }),
  );
  const { status, stdout } = spawnSync("node", [cli, "doctor", "--json"], {
    cwd: root,
    env: {
      PATH: `${join(home, "bin")}:${process.env["PATH"]}`,
      HOME: home,
      ANTHROPIC_API_KEY: "sk-secret",
      NIGHTSHIFT_URL: "http://127.0.0.1:9",
    },
    encoding: "utf8",
  });
  const checks = JSON.parse(stdout) as { area: string; status: string; message: string; fix?: string }[];
  const of = (area: string) => checks.find((check) => check.area === area);
  expect(status).toBe(1);
  expect(of("config")).toMatchObject({
    status: "fail",
    message: expect.stringContaining('did you mean "command"?'),
  });
  expect(of("agent claude")).toMatchObject({
    status: "ok",
    message: "9.8.7; credentials present (ANTHROPIC_API_KEY)",
  });
  expect(of("agent codex")).toMatchObject({ status: "warn", fix: "log in with: codex" });
  expect(of("key file")).toMatchObject({ status: "fail", fix: `chmod 600 ${join(home, ".memory-api-key")}` });
  expect(of("lock")).toMatchObject({ status: "warn", message: expect.stringContaining("which is gone") });
  expect(of("server")).toMatchObject({ status: "warn" });
  expect(of("memory")).toMatchObject({ status: "fail", fix: "correct memory in the config" });
  expect(stdout).not.toMatch(/sk-secret|secret-key-value/);
});
