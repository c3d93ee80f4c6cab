// @module-tag long

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

test("what a dead session left is saved before the next one resets the tree, and both handoff and prompt name it", async () => {
  const request = await night.plan({
    health: "exit 0",
    parts: [
      {
        steps: [
          { do: "append", file: "half.txt", text: "half\n" },
          { do: "write", file: ".env", text: "K=1\n" },
          { do: "crash" },
        ],
      },
      { steps: [{ do: "run", command: "git reset -q --hard; git clean -qfdx" }, ...FINISH] },
    ],
  });
  const state = await night.run(request);
  expect(state.status).toBe("complete");
  expect(state.sessions[1]?.rescueRef).toBe("refs/nightshift/rescue/night/2");
  expect(night.git("night", "show", "refs/nightshift/rescue/night/2:half.txt")).toBe("half\n");
  const handoff = readFileSync(state.sessions[1]?.handoffFile ?? "", "utf8");
  expect(handoff).toContain("Rescued before the session to refs/nightshift/rescue/night/2:\n- half.txt");
  expect(handoff).toContain("Not rescued, named like secrets:\n- .env");
  const prompts = night.events().filter(({ type }) => type === "prompt");
  expect(prompts[1]?.["prompt"]).toContain("a copy is safe in refs/nightshift/rescue/night/2");
});

test.each(["status", "read-tree", "update-index", "write-tree", "update-ref"])(
  "a git %s that is killed while work is saved is begun again, and nothing is reset before that",
  async (command) => {
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const { root } = night;
    // Twice, as the first one may hit the look at the end of the session before.
    const killed = `{ mkdir ${root}/killed-1 || mkdir ${root}/killed-2; } 2> /dev/null && kill -9 $$`;
    night.write(
      "bin/git",
      `#!/bin/sh\ncase " $* " in *" ${command} "*) [ -e ${root}/night/half.txt ] && ${killed};; esac\nexec ${real} "$@"\n`,
      0o755,
    );
    night.env["PATH"] = `${night.root}/bin:${night.env["PATH"]}`;
    const request = await night.plan({
      health: "exit 0",
      parts: [
        { steps: [{ do: "append", file: "half.txt", text: "half\n" }, { do: "crash" }] },
        { steps: [{ do: "run", command: "git reset -q --hard; git clean -qfdx" }, ...FINISH] },
      ],
    });
    expect(await night.run(request)).toMatchObject({ status: "complete", session: 2 });
    expect(existsSync(`${night.root}/killed-2`)).toBe(true);
    expect(night.git("night", "show", "refs/nightshift/rescue/night/2:half.txt")).toBe("half\n");
  },
);

test("a directory that is no repository has nothing to rescue and works all the same", async () => {
  night.write("plain/notes.txt", "x\n");
  const request = await night.plan({
    dir: "plain",
    parts: [
      {
        steps: [
          { do: "append", file: "notes.txt", text: "y\n" },
          { do: "say", text: "DONE: noted" },
        ],
      },
    ],
  });
  expect(await night.run(request)).toMatchObject({
    status: "unverified",
    sessions: [{ hasChanged: true }],
  });
});
