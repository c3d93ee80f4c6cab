import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openConversation } from "./find.ts";
import { emptyHome, type TestHome } from "./fixtures/corpus-home.ts";
import { writeInvented } from "./fixtures/invented.ts";
import { findUse } from "./in-use.ts";

let made: TestHome;
let child: ChildProcess | undefined;
beforeEach(() => {
  made = emptyHome();
});
afterEach(async () => {
  if (child?.exitCode === null) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  made.remove();
});

const TURNS = [{ prompt: "go", answers: [{ text: "Gone.", calls: [], isBranchy: false }] }];

/** A program of this name that says when it runs. */
const start = async (name: string, { cwd, args = [] }: { cwd: string; args?: string[] }): Promise<void> => {
  const script = join(made.home, name);
  const open = "if (process.argv[2]) require('fs').openSync(process.argv[2], 'a');";
  writeFileSync(script, `${open} console.log("up"); process.stdin.resume();`);
  child = spawn(process.execPath, [script, ...args], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout ?? child, "data");
};

const use = async (): Promise<string | undefined> =>
  findUse(await openConversation("claude:s", made.ports), Date.now());

test.skipIf(process.platform !== "linux")(
  "an agent that runs in the conversation's folder has it, by whatever path the folder is known",
  async () => {
    mkdirSync(join(made.home, "work"));
    symlinkSync(join(made.home, "work"), join(made.home, "linked"));
    const path = writeInvented(made.home, "claude", TURNS);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("/nowhere", join(made.home, "linked")));
    await start("claude", { cwd: join(made.home, "work") });
    utimesSync(path, new Date(), new Date());
    expect(await use()).toContain(`pid ${child?.pid}`);
    // One that changed before the agent began is another conversation's.
    utimesSync(path, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
    expect(await use()).toBeUndefined();
  },
);

test.skipIf(process.platform !== "linux")(
  "so has a program that holds the file open through a link",
  async () => {
    writeInvented(made.home, "claude", TURNS);
    const real = join(made.home, "real");
    const config = join(made.home, ".claude");
    renameSync(config, real);
    symlinkSync(real, config);
    await start("editor", { cwd: made.home, args: [join(config, "projects", "p", "s.jsonl")] });
    expect(await use()).toContain("has ");
  },
);
