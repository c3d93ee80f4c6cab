import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// The completion scripts in the shells they are for: what is offered when Tab is pressed.

const dist = resolve(import.meta.dirname, "../dist/scripts");
let base = "";
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-tab-")));
  for (const folder of ["bin", "home", "home/.workers", "docs"]) mkdirSync(join(base, folder));
  writeFileSync(join(base, "home/.workers/night-owl.json"), "{}");
  mkdirSync(join(base, "tasks"));
  writeFileSync(
    join(base, "tasks/release.ts"),
    `import { defineTask } from "nightshift";\nexport default defineTask({ title: "r", run: () => {} });\n`,
  );
  writeFileSync(
    join(base, "agent.config.json"),
    JSON.stringify({ gates: { mine: { command: "true" } }, workers: { daily: { task: "x" } } }),
  );
  for (const name of ["nightshift", "worker", "agent-search"]) {
    const command = join(base, "bin", name);
    writeFileSync(command, `#!/bin/sh\nexec node '${join(dist, name)}.js' "$@"\n`);
    chmodSync(command, 0o755);
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const run = (shell: string, args: readonly string[]): string[] => {
  const { stdout, stderr, status } = spawnSync(shell, args, {
    cwd: base,
    env: {
      PATH: `${join(base, "bin")}:${process.env["PATH"] ?? ""}`,
      HOME: join(base, "home"),
      TERM: "dumb",
    },
    encoding: "utf8",
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter(Boolean);
};

type Shell = "bash" | "zsh" | "fish";
/** Presses Tab behind a line, in the way in which each shell lets a script do so. */
const PRESS: Record<Shell, (line: readonly string[]) => string[]> = {
  bash: (line) =>
    run("bash", [
      "--norc",
      "-c",
      `source <(nightshift completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$(printf %s "$1" | tr - _)_complete"; printf '%s\\n' "\${COMPREPLY[@]}"`,
      "bash",
      ...line,
    ]),
  // Outside of its line editor zsh knows neither builtin; what the function hands to them is what is offered.
  zsh: (line) =>
    run("zsh", [
      "-f",
      "-c",
      `compinit() { :; }; compdef() { :; }; _files() { print -l -- *; }; _describe() { print -l -- $candidates; }; source <(nightshift completion zsh | grep -v '^autoload'); words=("$@"); CURRENT=$#; "_\${1//-/_}_complete"`,
      "zsh",
      ...line,
    ]).map((offered) => offered.split(":")[0] ?? ""),
  fish: (line) =>
    run("fish", [
      "--no-config",
      "-c",
      `nightshift completion fish | source; complete -C "${line.join(" ")}"`,
    ]).map((offered) => offered.split("\t")[0] ?? ""),
};

test("each shell shows what a candidate means", () => {
  const meaning = "Run the project's gates: exit 0 healthy, exit 1 blockers";
  const list = (shell: string, script: string) => (has(shell as Shell) ? run(shell, ["-c", script]) : []);
  const bash = list(
    "bash",
    `source <(nightshift completion bash); COMP_TYPE=63 COMP_WORDS=(nightshift "") COMP_CWORD=1; _nightshift_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
  const zsh = list(
    "zsh",
    `compinit() { :; }; compdef() { :; }; _describe() { print -rl -- $candidates; }; source <(nightshift completion zsh | grep -v '^autoload'); words=(nightshift ""); CURRENT=2; _nightshift_complete`,
  );
  const fish = list("fish", `nightshift completion fish | source; complete -C "nightshift "`);
  if (bash.length > 0) expect(bash).toContain(`gate  -- ${meaning}`);
  if (zsh.length > 0) expect(zsh).toContain(`gate:${meaning.replaceAll(":", "\\:")}`);
  if (fish.length > 0) expect(fish).toContain(`gate\t${meaning}`);
  expect([bash, zsh, fish].some((lines) => lines.length > 0)).toBe(true);
});

const has = (shell: Shell): boolean => spawnSync(shell, ["--version"]).status === 0;

for (const shell of ["bash", "zsh", "fish"] as const)
  describe.skipIf(!has(shell))(`Tab in ${shell}${has(shell) ? "" : " (not installed)"}`, () => {
    const press = PRESS[shell];
    test("completes a command and its options", () => {
      expect(press(["nightshift", "gat"])).toEqual(["gate"]);
      expect(press(["nightshift", "worker", "sta"]).sort()).toEqual(["start", "status"]);
      expect(press(["nightshift", "init", "--ho"]).sort()).toEqual(["--home", "--hooks"]);
    });
    test("offers the choices of an argument and of an option", () => {
      expect(press(["nightshift", "completion", ""]).sort()).toEqual(["bash", "fish", "zsh"]);
    });
    test("offers the workers that there are", () => {
      expect(press(["worker", "stop", "ni"])).toEqual(["night-owl"]);
    });
    test("offers the gates, the tasks and the workers that the project declares", () => {
      expect(press(["nightshift", "run", "re"])).toEqual(["release"]);
      expect(press(["nightshift", "gate", "types", "mi"])).toEqual(["mine"]);
      expect(press(["worker", "start", "da"])).toEqual(["daily"]);
    });
    test("leaves files to the shell", () => {
      expect(press(["nightshift", "publish", "do"]).map((name) => name.replace(/\/$/, ""))).toContain("docs");
    });
  });
