import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { useScratch } from "../../test/scratch.ts";
import { findProjectRoot } from "./find-config.ts";
import { loadConfig } from "./load-config.ts";

const project = useScratch();
beforeEach(() => {
  mkdirSync(join(project.root, ".git"));
});

const RUN = { by: "command" } as const;

const failure = async (promise: Promise<unknown>): Promise<AppError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`no AppError: ${String(error)}`);
  return error;
};

test.each([
  [
    "agent.config.ts",
    `import { defineConfig } from "nightshift";\nexport default defineConfig({ tasks: "t/*.ts" as string });`,
  ],
  ["agent.config.mts", `const tasks: string = "t/*.ts";\nexport default { tasks };`],
  ["agent.config.js", `module.exports = { tasks: "t/*.ts" };`],
  ["agent.config.mjs", `export default { tasks: "t/*.ts" };`],
  ["agent.config.json", `{ "tasks": "t/*.ts" }`],
  ["agent.config.yaml", `tasks: t/*.ts\n`],
  ["agent.config.yml", `tasks: t/*.ts\n`],
  ["package.json", `{ "name": "x", "agent": { "tasks": "t/*.ts" } }`],
])("reads %s from a folder below the project root and leaves nothing beside it", async (name, text) => {
  project.put(name, text);
  project.put("a/b/file", "");
  const before = readdirSync(project.root);
  const loaded = await loadConfig(join(project.root, "a/b"), RUN);
  expect(loaded).toEqual({ config: { tasks: "t/*.ts" }, path: join(project.root, name), root: project.root });
  expect(readdirSync(project.root)).toEqual(before);
});

test("takes a byte order mark, and names a config without a default export or one that cannot be read", async () => {
  project.put("agent.config.json", `\uFEFF{ "tasks": "t/*.ts" }\r\n`);
  expect((await loadConfig(project.root, RUN)).config).toEqual({ tasks: "t/*.ts" });
  project.put("agent.config.mjs", "export const gates = {};");
  await expect(loadConfig(project.root, RUN)).rejects.toThrow("it has no default export");
  rmSync(join(project.root, "agent.config.mjs"));
  mkdirSync(join(project.root, "agent.config.ts"));
  await expect(loadConfig(project.root, RUN)).rejects.toThrow(/cannot read .*agent\.config\.ts/);
});

test("is empty where there is no config, and never looks above the project root", async () => {
  mkdirSync(join(project.root, "inner/.git"), { recursive: true });
  project.put("agent.config.json", `{ "tasks": "outer" }`);
  expect(await loadConfig(join(project.root, "inner"), RUN)).toEqual({
    config: {},
    path: undefined,
    root: join(project.root, "inner"),
  });
});

test("lists every fault at once, with path, value and the nearest known key", async () => {
  project.put(
    "agent.config.json",
    JSON.stringify({
      worker: {},
      workers: { docs: { max: 0, limts: {}, limits: { contextPercent: "high" } }, "../evil": {}, "a b": {} },
      critic: { stopAt: "NEVER", patterns: [{ id: "X" }] },
      gates: { types: false },
    }),
  );
  const error = await failure(loadConfig(project.root, RUN));
  expect(error.code).toBe("config");
  const byPath = Object.fromEntries(error.faults.map(({ path, message }) => [path, message]));
  expect(byPath["worker"]).toBe('unknown key "worker"; did you mean "workers"?');
  expect(byPath["workers.docs.max"]).toBe("is 0; it must be an integer at least 1, at most 10000");
  expect(byPath["workers.docs.limts"]).toBe('unknown key "limts"; did you mean "limits"?');
  expect(byPath["workers.docs.limits.contextPercent"]).toBe(
    'is "high"; it must be a number at least 1, at most 99',
  );
  expect(byPath['workers["../evil"]']).toContain("is not a usable name");
  expect(byPath['workers["a b"]']).toContain('"a b" is not a usable name');
  expect(byPath["gates.types"]).toBe("is false; it must be an object; to switch it off: { enabled: false }");
  expect(byPath["critic.stopAt"]).toBe('is "NEVER"; it must be one of "HIGH", "MEDIUM", "LOW"');
  expect(byPath["critic.patterns[0].id"]).toContain('is "X"; it must be a string matching');
  expect(byPath["critic.patterns[0].message"]).toContain("is missing");
  expect(error.message).toContain(join(project.root, "agent.config.json"));
});

test("names the file that cannot be read", async () => {
  project.put("agent.config.ts", "export default {{{");
  const error = await failure(loadConfig(project.root, RUN));
  expect(error.code).toBe("config");
  expect(error.message).toContain(join(project.root, "agent.config.ts"));
});

test("takes the nearest package.json as the root where there is no repository", () => {
  rmSync(join(project.root, ".git"), { recursive: true });
  project.put("package.json", "{}");
  project.put("src/deep/x", "");
  expect(findProjectRoot(join(project.root, "src/deep"))).toBe(project.root);
});

test.each(["agent.config.mjs", "agent.config.ts"])(
  "sees that %s was changed since it was loaded",
  async (name) => {
    project.put(name, `export default { tasks: "before/*.ts" };`);
    utimesSync(join(project.root, name), 1_000_000_000, 1_000_000_000);
    expect((await loadConfig(project.root, RUN)).config.tasks).toBe("before/*.ts");
    project.put(name, `export default { tasks: "after/*.ts" };`);
    expect((await loadConfig(project.root, RUN)).config.tasks).toBe("after/*.ts");
  },
);

test("a FIFO with the name package.json is no config, and no wait for ever", async () => {
  execFileSync("mkfifo", [join(project.root, "package.json")]);
  expect((await loadConfig(project.root, RUN)).path).toBeUndefined();
});

test.each(["agent.config.ts", "agent.config.json"])(
  "a FIFO with the name %s is a fault of the config, not a wait for ever",
  async (name) => {
    execFileSync("mkfifo", [join(project.root, name)]);
    const { code, message } = await failure(loadConfig(project.root, RUN));
    expect(code).toBe("config");
    expect(message).toMatch(new RegExp(`cannot read .*${name}.* is a FIFO, not a file; move it away`));
  },
);
