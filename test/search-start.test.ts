import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "./bun.ts";

const repo = resolve(import.meta.dirname, "..");
let root = "";
let folder = "";
const home = () => join(root, "home");
const transcript = () => join(home(), ".claude/projects/p/one.jsonl");
const line = (uuid: string, text: string) =>
  `${JSON.stringify({ type: "user", uuid, parentUuid: null, message: { role: "user", content: text } })}\n`;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-start-")));
  folder = join(root, "package/dist/scripts/search");
  mkdirSync(join(root, "package"));
  cpSync(join(repo, "package.json"), join(root, "package/package.json"));
  for (const part of ["agents", "conversations", "core", "scripts"])
    cpSync(join(repo, "dist", part), join(root, "package/dist", part), { recursive: true });
  symlinkSync(join(repo, "node_modules"), join(root, "package/node_modules"));
  mkdirSync(join(transcript(), ".."), { recursive: true });
  writeFileSync(transcript(), line("a", "a lazy dog"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const compiled = (place = folder) => readdirSync(place).filter((name) => name.endsWith(".bin"));
const dropCompiled = (): void => {
  for (const name of compiled()) rmSync(join(folder, name));
};
const search = (pattern: string, runtime = "node") => {
  const { status, stdout, stderr } = spawnSync(
    runtime,
    [join(root, "package/dist/scripts/agent-search.js"), pattern],
    { cwd: root, env: { PATH: process.env["PATH"], HOME: home() }, encoding: "utf8" },
  );
  return { status, first: stdout.split(" ")[0], stderr };
};
const found = { status: 0, first: "claude:one", stderr: "" };

test("starts from the compiled form of the build, and loads the index builder when something has changed", () => {
  expect(compiled()).toHaveLength(1);
  expect(search("lazy")).toEqual(found);
  writeFileSync(transcript(), `${line("a", "a lazy dog")}${line("b", "a quick fox")}`);
  expect(search("quick")).toEqual(found);
  expect(search("slow").status).toBe(1);
});

test("keeps a compiled form when the build's Node was another one", () => {
  dropCompiled();
  expect(search("lazy")).toEqual(found);
  expect(compiled()).toHaveLength(1);
  expect(search("lazy")).toEqual(found);
});

test("keeps it in the user's folder when the installation cannot be written to", () => {
  const [name = ""] = compiled();
  dropCompiled();
  // Not even root can replace a folder by a file: what a read-only installation is to everybody else.
  mkdirSync(join(folder, name, "taken"), { recursive: true });
  expect(search("lazy")).toEqual(found);
  expect(compiled(join(home(), ".nightshift/cache"))).toEqual([name]);
  expect(search("lazy")).toEqual(found);
});

test("finds the same with a compiled form that is damaged", () => {
  const [name = ""] = compiled();
  writeFileSync(join(folder, name), "damaged");
  expect(search("lazy")).toEqual(found);
  expect(search("lazy")).toEqual(found);
});

test.skipIf(!bunBinary())("finds the same on Bun, and leaves what has changed to the whole command", () => {
  expect(search("lazy", bunBinary())).toEqual(found);
  writeFileSync(transcript(), `${line("a", "a lazy dog")}${line("b", "a quick fox")}`);
  expect(search("quick", bunBinary())).toEqual(found);
  expect(search("slow", bunBinary()).status).toBe(1);
  expect(search("--limit", bunBinary())).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("unknown option"),
  });
});

test.each([
  ["Node", "node"],
  ["Bun", bunBinary()],
])("is started by a link from elsewhere, on %s", (_, runtime) => {
  const link = join(root, "agent-search");
  symlinkSync(join(root, "package/dist/scripts/agent-search.js"), link);
  const { stdout } = spawnSync(runtime, [link, "lazy"], {
    env: { PATH: process.env["PATH"], HOME: home() },
    encoding: "utf8",
  });
  expect(stdout.split(" ")[0]).toBe("claude:one");
});
