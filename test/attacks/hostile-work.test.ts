// @module-tag long

import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { RUNTIMES } from "../../server/fixtures/test-server.ts";
import { bunBinary } from "../bun.ts";
import { useScratch } from "../scratch.ts";

// What a task, a repository inside the project and an agent that looks around can do to whoever set it to work.

const scratch = useScratch();
const at = (...parts: string[]) => join(scratch.root, ...parts);
const programs = resolve(import.meta.dirname, "../../dist/scripts");

const SECRETS = {
  DATABASE_URL: "postgres://me:hunter2@127.0.0.1:9/none",
  NIGHTSHIFT_TOKEN: "the-admin-token",
  PGPASSWORD: "hunter2",
};

const call = (runtime: string, program: string, args: readonly string[], cwd = scratch.root) =>
  spawnSync(runtime === "bun" ? bunBinary() : process.execPath, [join(programs, `${program}.js`), ...args], {
    cwd,
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      HOME: at("home"),
      PORT: "9",
      GIT_CONFIG_GLOBAL: at("gitconfig"),
      ...SECRETS,
    },
  });

test.each(RUNTIMES)("the queue takes no address of a repository that names a program, on %s", (runtime) => {
  scratch.put("agent.config.json", JSON.stringify({ workers: { w: { task: "t" } } }));
  for (const repo of [`ext::sh -c "touch ${at("sprung")}"`, "fd::17"]) {
    const { status, stderr } = call(runtime, "nightshift", [
      "queue",
      "add",
      "--worker",
      "w",
      "--task",
      "t",
      "--repo",
      repo,
    ]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(repo.slice(0, 4))]);
  }
  expect(scratch.has("sprung")).toBe(false);
});

test.each(RUNTIMES)(
  "a worker gives its agent none of our secrets, and saves a repository inside without starting what that names, on %s",
  (runtime) => {
    scratch.put("gitconfig", "[user]\n name = T\n email = t@localhost\n");
    scratch.put("trap", `#!/bin/sh\ntouch ${at("repo/sprung")}\ncat\n`);
    chmodSync(at("trap"), 0o755);
    scratch.put("repo/README.md", "hello\n");
    const git = (...args: string[]) => scratch.git("-C", "repo", ...args);
    const inner = (...args: string[]) => scratch.git("-C", "repo/inner", ...args);
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "Begin");
    scratch.put("repo/inner/new.txt", "new\n");
    scratch.put("repo/inner/.gitattributes", "* filter=a\n");
    inner("init", "-q");
    inner("commit", "-qm", "Begin", "--allow-empty");
    for (const key of ["core.fsmonitor", "filter.a.clean", "filter.a.process"])
      inner("config", key, at("trap"));
    const parts = [
      {
        steps: [
          { do: "run", command: "env > seen.txt" },
          { do: "say", text: "HANDOFF: half of it" },
        ],
      },
      { steps: [{ do: "say", text: "DONE: all of it" }] },
    ];
    scratch.put("script.json", JSON.stringify({ parts }));
    const workers = { w: { task: "t", agent: "scripted", max: 2 } };
    const agents = { scripted: { script: at("script.json") } };
    scratch.put("repo/agent.config.json", JSON.stringify({ agents, workers }));
    const { stderr } = call(runtime, "worker", ["start", "w", "--foreground"], at("repo"));
    const seen = scratch.read("repo/seen.txt");
    expect(seen, stderr).toContain("NIGHTSHIFT_WORKER=");
    for (const secret of [...Object.keys(SECRETS), "hunter2"]) expect(seen).not.toContain(secret);
    expect(scratch.has("repo/sprung")).toBe(false);
    const saved = inner("for-each-ref", "--format=%(refname)", "refs/nightshift/rescue").trim().split("\n");
    expect(inner("show", `${saved[0] ?? ""}:new.txt`)).toBe("new\n");
  },
);

test.each(RUNTIMES)(
  "an OpenAPI document hides no operation behind an address elsewhere, on %s",
  (runtime) => {
    const document = {
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      paths: { "/a": { $ref: "https://elsewhere.example/paths.json" } },
    };
    scratch.put("api.json", JSON.stringify(document));
    const { status, stdout, stderr } = call(runtime, "nightshift", ["webmcp", "explain", "api.json"]);
    expect([status, `${stdout}${stderr}`]).toEqual([1, expect.stringContaining("/paths/~1a")]);
  },
);
