import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECTS } from "./projects/projects.ts";
import type { Scenario, Step } from "./scenario.ts";

/** git as an agent of this set has it: a name, and nothing of this machine's configuration. */
const ENV = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Agent",
  GIT_AUTHOR_EMAIL: "agent@localhost",
  GIT_COMMITTER_NAME: "Agent",
  GIT_COMMITTER_EMAIL: "agent@localhost",
};

export const git = (dir: string, ...args: string[]): string =>
  execFileSync("git", ["-C", dir, ...args], { encoding: "utf8", stdio: "pipe", env: ENV });

const put = (dir: string, path: string, text: string): void => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
  if (path.endsWith(".sh")) chmodSync(join(dir, path), 0o755);
};

/** The project of a scenario as a repository with one commit; `extra` are files that go into it, too. */
export const makeProject = (
  dir: string,
  { language, files = {} }: Scenario,
  extra: Record<string, string> = {},
): string => {
  for (const [path, text] of Object.entries({ ...PROJECTS[language], ...files, ...extra }))
    put(dir, path, text);
  git(dir, "init", "-q", "-b", "main", "--template=");
  git(dir, "add", "-A");
  git(dir, "commit", "-q", "-m", "Begin");
  return git(dir, "rev-parse", "HEAD").trim();
};

/** Does one thing to a project. A replacement that finds nothing is a fault of the set. */
const play = (dir: string, step: Step): void => {
  if ("write" in step) put(dir, step.write, step.text);
  else if ("remove" in step) rmSync(join(dir, step.remove));
  else if ("move" in step) {
    mkdirSync(dirname(join(dir, step.to)), { recursive: true });
    renameSync(join(dir, step.move), join(dir, step.to));
  } else if ("run" in step) execFileSync("sh", ["-c", step.run], { cwd: dir, env: ENV, stdio: "pipe" });
  else {
    const text = readFileSync(join(dir, step.replace), "utf8");
    if (!text.includes(step.from)) throw new Error(`${step.replace} has no ${JSON.stringify(step.from)}`);
    put(
      dir,
      step.replace,
      text.replace(step.from, () => step.to),
    );
  }
};

/** What the scripted agent of a scenario does: its steps, and a commit of what git shows. */
export const playAgent = (dir: string, { agent }: Scenario): void => {
  for (const step of agent) play(dir, step);
  try {
    git(dir, "add", "-A");
    git(dir, "commit", "-q", "-m", "Done");
  } catch {
    // Where nothing is left to commit, or no repository, the agent says DONE all the same.
  }
};
