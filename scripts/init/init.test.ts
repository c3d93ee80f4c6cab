import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { addHook, removeHook } from "./agent-hooks.ts";
import { useProject } from "./fixtures/use-project.ts";

const lab = useProject();
const cli = resolve(import.meta.dirname, "../../dist/scripts/nightshift.js");

test("finds what the project has, and writes a config that Nightshift itself accepts and runs", () => {
  lab.fill();
  const { status, stdout } = lab.run("init", "--yes");
  expect(status).toBe(0);
  expect(stdout).toContain("pnpm, TypeScript");
  expect(lab.read("agent.config.ts")).toContain(`test: { command: "pnpm test"`);
  expect(lab.read("agent.config.ts")).toContain(`lint: { command: "pnpm run lint"`);
  const gates = JSON.parse(lab.run("gate", "--list", "--json").stdout) as { id: string }[];
  expect(gates.map(({ id }) => id)).toEqual([
    "types",
    "uncommitted",
    "any",
    "todo",
    "console",
    "test",
    "lint",
  ]);
  expect(statSync(join(lab.root, "gates/health.sh")).mode & 0o111).not.toBe(0);
});

test("gates/health.sh works where the package is not installed, and blocks on what is uncommitted", () => {
  lab.run("init", "--yes");
  const { status, stdout } = spawnSync(join(lab.root, "gates/health.sh"), ["--json"], {
    env: { PATH: process.env["PATH"], HOME: lab.home },
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: "fail",
    gates: [{ id: "types" }, { id: "uncommitted", result: "fail" }, {}, {}, {}],
  });
});

test("changes nothing on a dry run, and nothing the second time", () => {
  lab.fill();
  expect(lab.run("init", "--dry-run", "--hooks", "--ci").stdout).toContain("create   agent.config.ts");
  expect([existsSync(join(lab.root, "agent.config.ts")), existsSync(join(lab.home, ".nightshift"))]).toEqual([
    false,
    false,
  ]);
  lab.run("init", "--yes", "--hooks", "--ci");
  expect(lab.run("init", "--yes", "--hooks", "--ci").stdout).toContain("everything is there already");
});

test("does not replace what is there without being told, and adds to AGENTS.md instead of replacing it", () => {
  lab.put("gates/health.sh", "#!/bin/sh\nexit 0\n");
  lab.put("AGENTS.md", "# Mine\n");
  const { stderr } = lab.run("init", "--yes");
  expect(stderr).toContain("kept gates/health.sh as it is");
  expect(lab.read("gates/health.sh")).toBe("#!/bin/sh\nexit 0\n");
  expect(lab.read("AGENTS.md")).toMatch(/^# Mine\n\n<!-- nightshift: begin -->/);
  lab.run("init", "--yes", "--force");
  expect(lab.read("gates/health.sh")).toContain("nightshift gate");
});

test("writes the workflow that docs/ci.md shows, and its last step fails on what the gates find", () => {
  lab.put("package.json", JSON.stringify({ name: "p", scripts: { test: "true" } }));
  lab.run("init", "--yes", "--ci");
  const workflow = lab.read(".github/workflows/gates.yml");
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/ci.md"), "utf8");
  expect(page).toContain(workflow.trim());
  const steps = [...workflow.matchAll(/- run: (.+)/g)].map(([, command = ""]) => command);
  const last = spawnSync("sh", ["-c", steps.at(-1) ?? ""], {
    cwd: lab.root,
    env: { PATH: process.env["PATH"], HOME: lab.home },
    encoding: "utf8",
  });
  expect(last.status).toBe(1);
  expect(last.stdout).toContain("::error file=package.json,title=gate uncommitted::");
});

test("asks, and without a terminal writes nothing unless --yes says so", () => {
  expect(lab.run("init")).toMatchObject({ status: 64 });
  expect(existsSync(join(lab.root, "agent.config.ts"))).toBe(false);
});

test("what it says comes next, pasted, ends in a green gate", () => {
  lab.put("package.json", JSON.stringify({ name: "p", version: "1.0.0", scripts: { test: "true" } }));
  lab.put("node_modules/nightshift/package.json", "{}"); // as if it were installed: no download in a test
  lab.put(".git/info/exclude", ".claude/\n"); // what git is told to ignore cannot be added
  const env = { PATH: process.env["PATH"], HOME: lab.home };
  const sh = (script: string) => spawnSync("sh", ["-c", script], { cwd: lab.root, env, encoding: "utf8" });
  expect(
    sh("git add package.json && git config user.name T && git config user.email t@t.example").status,
  ).toBe(0);
  const { stdout } = lab.run("init", "--yes", "--hooks", "--ci");
  const steps = stdout.split("next:\n")[1]?.split("\n") ?? [];
  const upToGate = steps.slice(0, steps.findIndex((step) => step.includes("gates/health.sh  ")) + 1);
  const gate = sh(["set -e", ...upToGate].join("\n"));
  expect(gate.status, gate.stdout + gate.stderr).toBe(0);
  expect(sh("git status --porcelain").stdout).toBe("");
});

test("the installed package can be added to a project from its folder: npm builds nothing there", () => {
  // npm runs `prepare` in a folder that it links, and the sources are not in the package.
  const manifest = readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8");
  expect((JSON.parse(manifest) as { files: string[] }).files).not.toContain("tsconfig.build.json");
  lab.put("package.json", manifest);
  const prepared = spawnSync("npm", ["run", "prepare"], {
    cwd: lab.root,
    env: { PATH: process.env["PATH"], HOME: lab.home },
    encoding: "utf8",
  });
  expect(prepared.status, prepared.stderr).toBe(0);
});

test.skipIf(spawnSync("script", ["--version"]).status !== 0)(
  "a no to the first question is a no to all of it",
  async () => {
    lab.put("gates/health.sh", "#!/bin/sh\nexit 0\n");
    const answered = spawnSync("script", ["-qec", `node ${cli} init`, "/dev/null"], {
      cwd: lab.root,
      env: { PATH: process.env["PATH"], HOME: lab.home, TERM: "dumb" },
      encoding: "utf8",
      input: "n\ny\n",
    });
    expect(answered.stdout).toContain("Write this?");
    expect(answered.stdout).not.toContain("Replace gates/health.sh");
    expect(answered.stdout).toContain("nothing was written");
    expect(readdirSync(lab.root).toSorted()).toEqual([".git", "gates"]);
  },
);

test("a type check of the whole folder stays green, whether the package is in the project or not", () => {
  lab.put("tsconfig.json", '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] } }');
  lab.run("init", "--yes");
  const tsc = resolve(import.meta.dirname, "../../node_modules/.bin/tsc");
  expect(spawnSync(tsc, ["-p", "."], { cwd: lab.root, encoding: "utf8" }).stdout).toBe("");
  lab.run("init", "--undo");
  lab.put("node_modules/nightshift/package.json", "{}");
  lab.run("init", "--yes");
  expect(lab.read("agent.config.ts")).toMatch(/^import/);
});

test("a folder that is not there is named, and nothing is made", () => {
  expect(lab.run("init", "nowhere", "--yes").status).toBe(66);
  expect(readdirSync(lab.root)).toEqual([".git"]);
});

test("the installed hook stops, passes, and blocks when the critic is gone", () => {
  lab.run("init", "--yes", "--hooks");
  const settings = JSON.parse(lab.read(".claude/settings.json")) as {
    hooks: { PreToolUse: { hooks: { command: string }[] }[] };
  };
  const command = settings.hooks.PreToolUse[0]?.hooks[0]?.command ?? "";
  const hook = (bash: string) =>
    spawnSync("sh", ["-c", command], {
      cwd: lab.root,
      env: { PATH: process.env["PATH"], HOME: lab.home },
      input: JSON.stringify({ tool_name: "Bash", tool_input: { command: bash } }),
      encoding: "utf8",
    }).status;
  expect(hook("git push --no-verify")).toBe(2);
  expect(hook("npm test")).toBe(0);
  rmSync(join(lab.home, ".nightshift"), { recursive: true });
  expect(hook("npm test")).toBe(2);
  expect(lab.run("doctor").stdout).toContain("fix: nightshift init --home --yes");
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
    ".claude/settings.json is not a JSON object",
  );
});

test("--home installs the critic alone", () => {
  expect(lab.run("init", "--home", "--yes").status).toBe(0);
  const check = (text: string) =>
    spawnSync("node", [join(lab.home, ".nightshift/check.mjs"), text], { cwd: lab.root, encoding: "utf8" })
      .status;
  expect([check("skip the tests"), check("run the tests")]).toEqual([1, 0]);
  expect(existsSync(join(lab.root, "agent.config.ts"))).toBe(false);
});
