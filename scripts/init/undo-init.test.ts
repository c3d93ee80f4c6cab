import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useProject } from "./fixtures/use-project.ts";

const lab = useProject();

test("undoing gives a replaced file its content and its mode", () => {
  lab.put("gates/health.sh", "mine\n");
  lab.run("init", "--yes", "--force");
  expect(statSync(join(lab.root, "gates/health.sh")).mode & 0o777).toBe(0o755);
  const { stdout } = lab.run("init", "--undo");
  expect([lab.read("gates/health.sh"), statSync(join(lab.root, "gates/health.sh")).mode & 0o777]).toEqual([
    "mine\n",
    0o644,
  ]);
  expect(stdout).toContain("left alone: ~/.nightshift");
});

test("takes back exactly what it wrote, and keeps what somebody changed since", () => {
  lab.put("AGENTS.md", "# Mine\n");
  lab.run("init", "--yes", "--hooks", "--ci");
  lab.put("agent.config.ts", "export default {};\n");
  const { status, stdout } = lab.run("init", "--undo");
  expect(status).toBe(1);
  expect(stdout).toContain("kept, because it was changed since: agent.config.ts");
  expect(lab.read("AGENTS.md")).toBe("# Mine\n");
  expect(
    ["gates/health.sh", ".claude/settings.json", ".github/workflows/gates.yml"].filter((path) =>
      existsSync(join(lab.root, path)),
    ),
  ).toEqual([]);
  expect(lab.run("init", "--undo").status).toBe(1);
  rmSync(join(lab.root, ".nightshift"), { recursive: true });
  expect(lab.run("init", "--undo").status).toBe(66);
});

test("undoing leaves no folder that init made, and every one that somebody uses", () => {
  lab.put(".github/CODEOWNERS", "* @us\n");
  lab.run("init", "--yes", "--hooks", "--ci");
  expect(lab.run("init", "--undo").status).toBe(0);
  expect(readdirSync(lab.root).toSorted()).toEqual([".git", ".github"]);
  expect(readdirSync(join(lab.root, ".github"))).toEqual(["CODEOWNERS"]);
  lab.run("init", "--yes");
  lab.put("gates/mine.sh", "exit 0\n");
  expect(lab.run("init", "--undo").status).toBe(0);
  expect(readdirSync(join(lab.root, "gates"))).toEqual(["mine.sh"]);
});

test("an init that was cut short is undone as far as it came", () => {
  lab.run("init", "--yes", "--ci");
  rmSync(join(lab.root, ".github/workflows/gates.yml"));
  const { status, stdout } = lab.run("init", "--undo");
  expect(status).toBe(0);
  expect(stdout).not.toContain("gates.yml");
  expect(existsSync(join(lab.root, "agent.config.ts"))).toBe(false);
});
