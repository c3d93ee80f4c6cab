import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { useScratch } from "../../test/scratch.ts";
import { loadConfig } from "./load-config.ts";
import { inheritTrust, listTrust, listUntrusted, recordTrust, revokeTrust } from "./trust-record.ts";

const scratch = useScratch();
const at = (...parts: string[]) => join(scratch.root, ...parts);
const env = (more: Record<string, string> = {}) => ({ HOME: at("home"), ...more });
const scripts = (root = at("repo")) => ({ root, entries: [join(root, "agent.config.mjs")] });

/** A config that leaves a trace when it is run. */
const CANARY = (name: string) =>
  `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(name)}, "ran");\nexport default { tasks: "t/*.ts" };\n`;

beforeEach(() => {
  mkdirSync(at("repo/.git"), { recursive: true });
  mkdirSync(at("home"));
  scratch.put("repo/agent.config.mjs", CANARY(at("canary")));
});

const unattended = (more: Record<string, string> = {}) =>
  loadConfig(at("repo"), { by: "record", env: env(more) });

test("code that nobody trusted is not run: refused with the command, or left out and said", async () => {
  const refused = await unattended().catch((error: unknown) => error);
  expect(String(refused)).toContain(
    `agent.config.mjs is not trusted yet; look at it and run: nightshift trust ${at("repo")}`,
  );
  expect(refused).toMatchObject({ details: { untrusted: expect.anything() } });
  const said: string[] = [];
  const loaded = await loadConfig(at("repo"), { by: "reading", env: env(), note: (line) => said.push(line) });
  expect(loaded).toMatchObject({ config: {}, path: undefined });
  expect(said).toEqual([expect.stringContaining("nightshift trust")]);
  expect(scratch.has("canary")).toBe(false);
});

test("an empty data file in a folder below does not lead past the decision to the code above it", async () => {
  scratch.put("repo/sub/agent.config.json", "");
  const loaded = await loadConfig(at("repo/sub"), { by: "record", env: env() }).catch(() => undefined);
  expect(loaded?.config ?? {}).toEqual({});
  expect(scratch.has("canary")).toBe(false);
});

test("what was trusted runs until it, or a file that it imports, is changed; the change is what is shown", async () => {
  scratch.put("repo/agent.config.mjs", `import "./lib/rules.mjs";\nexport default {};\n`);
  scratch.put("repo/lib/rules.mjs", `export * from '../more.mjs';\n`);
  scratch.put("repo/more.mjs", "export const a = 1;\n");
  expect(recordTrust(env(), scripts())).toEqual(["agent.config.mjs", "lib/rules.mjs", "more.mjs"]);
  await unattended();
  scratch.put("repo/more.mjs", "export const a = 2;\n");
  expect(listUntrusted(env(), scripts())).toEqual([
    { file: "more.mjs", before: "export const a = 1;\n", now: "export const a = 2;\n" },
  ]);
  await expect(unattended()).rejects.toThrow(/more\.mjs was changed since it was trusted/);
  recordTrust(env(), scripts());
  // Another branch is checked out, and back.
  scratch.put("repo/more.mjs", "export const a = 1;\n");
  await unattended();
});

test("a file that a loader would take for a trusted import is looked at, too", async () => {
  scratch.put("repo/agent.config.mjs", `import "./rules.js";\nexport default {};\n`);
  scratch.put("repo/rules.js", "");
  recordTrust(env(), scripts());
  scratch.put("repo/rules.ts", "evil();");
  await expect(unattended()).rejects.toThrow(/rules\.ts is not trusted yet/);
});

test("is asked where there is somebody, and kept with the answer", async () => {
  const asked: string[] = [];
  const load = (answer: boolean) =>
    loadConfig(at("repo"), {
      by: "record",
      env: env(),
      ask: async (files) => {
        asked.push(...files.map(({ file }) => file));
        return answer;
      },
    });
  await expect(load(false)).rejects.toThrow(/is not trusted yet/);
  await load(true);
  await load(false);
  expect(asked).toEqual(["agent.config.mjs", "agent.config.mjs"]);
});

test("a pipeline is the decision, but not in a worker's session: there only what was there before it counts", async () => {
  await expect(unattended({ CI: "true", NIGHTSHIFT_WORKER: "docs" })).rejects.toThrow(/is not trusted yet/);
  await unattended({ CI: "true" });
  await unattended({ NIGHTSHIFT_WORKER: "docs" });
  scratch.put("repo/agent.config.mjs", "export default { tasks: 'changed by an agent' };\n");
  const asked = loadConfig(at("repo"), {
    by: "record",
    env: env({ CI: "true", NIGHTSHIFT_WORKER: "docs" }),
    ask: async () => true,
  });
  await expect(asked).rejects.toThrow(/was changed since it was trusted/);
});

test("holds for the real folder, not for a copy of it or what a link of that name leads to later", async () => {
  recordTrust(env(), scripts());
  symlinkSync(at("repo"), at("link"));
  expect(listUntrusted(env(), scripts(at("link")))).toEqual([]);
  scratch.put("copy/agent.config.mjs", CANARY(at("canary")));
  expect(listUntrusted(env(), scripts(at("copy")))).toHaveLength(1);
  // Only a pool asks for this: what it cloned lies at a new place each time.
  expect(inheritTrust(env(), scripts(at("copy")))).toBe(true);
  expect(listUntrusted(env(), scripts(at("copy")))).toEqual([]);
  scratch.put("other/agent.config.mjs", `${CANARY(at("canary"))} `);
  expect(inheritTrust(env(), scripts(at("other")))).toBe(false);
});

test("a work tree of git is the project that it belongs to, as long as its files are the same", async () => {
  scratch.put("real/agent.config.mjs", "export default {};\n");
  const git = (...args: string[]) => scratch.git("-C", at("real"), ...args);
  scratch.git("init", "-q", at("real"));
  git("add", "-A");
  git("commit", "-qm", "x");
  git("worktree", "add", "-q", at("tree"), "-b", "b");
  recordTrust(env(), scripts(at("real")));
  expect(listUntrusted(env(), scripts(at("tree")))).toEqual([]);
  scratch.put("tree/agent.config.mjs", "export default { tasks: 'x' };\n");
  expect(listUntrusted(env(), scripts(at("tree")))).toHaveLength(1);
});

test("is listed, revoked, and asked for again where the record is damaged", async () => {
  recordTrust(env(), scripts(), Date.UTC(2026, 0, 2));
  expect(listTrust(env())).toMatchObject([{ project: at("repo"), trustedAt: "2026-01-02T00:00:00.000Z" }]);
  expect(revokeTrust(env(), at("repo"))).toBe(true);
  expect(revokeTrust(env(), at("repo"))).toBe(false);
  await expect(unattended()).rejects.toThrow(/is not trusted yet/);
  scratch.put("home/.nightshift/trust/x.json", "{");
  expect(listTrust(env())).toEqual([]);
});

test("data needs no trust", async () => {
  for (const [name, text] of [
    ["agent.config.json", `{ "tasks": "t" }`],
    ["agent.config.yaml", "tasks: t\n"],
    ["package.json", `{ "agent": { "tasks": "t" } }`],
  ] as const) {
    const root = at(name);
    scratch.put(`${name}/.git/x`, "");
    scratch.put(`${name}/${name}`, text);
    expect((await loadConfig(root, { by: "record", env: env() })).config).toEqual({ tasks: "t" });
  }
});
