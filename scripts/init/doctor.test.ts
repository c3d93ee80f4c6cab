import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { useProject } from "./fixtures/use-project.ts";

const lab = useProject();
const cli = resolve(import.meta.dirname, "../../dist/scripts/nightshift.js");

test("doctor names what is wrong with its fix, says of credentials only where they are, and exits 1 for what is broken", () => {
  lab.fill();
  const program = (name: string) => {
    mkdirSync(join(lab.home, "bin"), { recursive: true });
    writeFileSync(join(lab.home, "bin", name), "#!/bin/sh\necho 9.8.7\n", { mode: 0o755 });
  };
  program("claude");
  program("codex");
  writeFileSync(join(lab.home, ".memory-api-key"), "secret-key-value", { mode: 0o644 });
  lab.put("agent.config.json", JSON.stringify({ gates: { lint: { comand: "x" } } }));
  lab.put(
    ".nightshift/locks/db.lock",
    JSON.stringify({ pid: 999_999, startTime: "1", bootId: "x", label: "task old", since: "y" }),
  );
  const { status, stdout } = spawnSync("node", [cli, "doctor", "--json"], {
    cwd: lab.root,
    env: {
      PATH: `${join(lab.home, "bin")}:${process.env["PATH"]}`,
      HOME: lab.home,
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
  const newer = checks.filter(({ message }) => /^9\.8\.7 is newer than \d[\d.]+, the newest/.test(message));
  expect(newer.map(({ area, status: how }) => [area, how])).toEqual([
    ["agent claude", "warn"],
    ["agent codex", "warn"],
  ]);
  expect(of("key file")).toMatchObject({
    status: "fail",
    fix: `chmod 600 ${join(lab.home, ".memory-api-key")}`,
  });
  expect(of("lock")).toMatchObject({ status: "warn", message: expect.stringContaining("which is gone") });
  expect(of("server")).toMatchObject({ status: "warn" });
  expect(of("memory")).toMatchObject({ status: "fail", fix: "correct memory in the config" });
  expect(stdout).not.toMatch(/sk-secret|secret-key-value/);
});

test("init and doctor fit a narrow terminal; a command to copy stays whole", () => {
  const tooWide = (text: string) => text.split("\n").filter((line) => line.length > 60);
  const shown = lab.runWith({ COLUMNS: "60" }, "init", "--dry-run").stdout;
  expect(shown).toContain("create   gates/health.sh");
  expect(tooWide(shown)).toEqual([]);
  const { stdout } = lab.runWith({ COLUMNS: "60", NIGHTSHIFT_URL: "http://127.0.0.1:9" }, "doctor");
  expect(stdout).toMatch(/^ {6,}fix: nightshift serve$/m);
  expect(stdout.match(/nightshift serve/g)).toHaveLength(1);
  // A path is one word: the temporary folder of a test may be long.
  const wordy = tooWide(stdout).filter((line) => !line.includes("fix: ") && !line.includes(lab.home));
  expect(wordy).toEqual([]);
});
