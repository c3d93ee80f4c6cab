import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listRegistryHosts } from "./registry-hosts.ts";

const project = (files: Record<string, string>): string => {
  const dir = mkdtempSync(join(tmpdir(), "locks-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
};

test.each([
  ["package-lock.json", '{"packages":{}}', "registry.npmjs.org"],
  ["pnpm-lock.yaml", "lockfileVersion: '9.0'\n", "registry.npmjs.org"],
  ["yarn.lock", "# yarn lockfile v1\n", "registry.yarnpkg.com"],
  ["bun.lockb", "\0binary", "registry.npmjs.org"],
  ["uv.lock", 'source = { registry = "https://pypi.org/simple" }', "files.pythonhosted.org"],
  ["poetry.lock", "[[package]]\n", "pypi.org"],
  ["Cargo.lock", "version = 4\n", "static.crates.io"],
  ["go.sum", "golang.org/x/net v0.1.0 h1:x=\n", "proxy.golang.org"],
])("%s opens the way to its registry", (name, text, host) => {
  expect(listRegistryHosts(project({ [name]: text })).known).toContain(host);
});

test("another host that a lock file names is shown, and not among the known ones", () => {
  const dir = project({
    "package-lock.json": JSON.stringify({
      packages: {
        "node_modules/a": { resolved: "https://npm.corp.example:8443/a/-/a-1.0.0.tgz" },
        "node_modules/b": { resolved: "git+ssh://git@git.example/b.git#1234" },
        "node_modules/c": { resolved: "https://registry.npmjs.org/c/-/c-1.0.0.tgz" },
        "node_modules/d": { resolved: "https://exfiltrate@evil.example/d.tgz" },
      },
    }),
  });
  expect(listRegistryHosts(dir)).toEqual({
    known: ["registry.npmjs.org"],
    others: ["evil.example", "git.example", "npm.corp.example"],
  });
});

test("pages that are only told about a package are none of its hosts", () => {
  const funding = '{"packages":{"x":{"funding":{"type":"f","url":"https://opencollective.com/x"}}}}';
  expect(listRegistryHosts(project({ "package-lock.json": funding })).others).toEqual([]);
});

test("a project without lock files has none, and this one has its registry", () => {
  expect(listRegistryHosts(project({}))).toEqual({ known: [], others: [] });
  const own = listRegistryHosts(resolve(import.meta.dirname, "../.."));
  expect(own).toEqual({ known: ["registry.npmjs.org"], others: [] });
});
