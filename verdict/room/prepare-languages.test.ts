import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useScratch } from "../../test/scratch.ts";
import { type Prepared, prepareTree } from "./prepare.ts";

const scratch = useScratch();

const isThere = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const HAS_CARGO = isThere("cargo", "--version");
const HAS_GO = isThere("go", "version") && isThere("python3", "--version");

/** No network: what is fetched has to lie on this machine already. */
const environment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: join(scratch.root, "home"),
  NIGHTSHIFT_HOME: join(scratch.root, "home/.nightshift"),
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[0].startsWith("RUSTUP_") && entry[1] !== undefined,
    ),
  ),
  ...(process.env["RUSTUP_HOME"] === undefined && HAS_CARGO
    ? { RUSTUP_HOME: join(process.env["HOME"] ?? "", ".rustup") }
    : {}),
  CARGO_HOME: join(scratch.root, "cargo"),
  CARGO_NET_OFFLINE: "false",
  GOPATH: join(scratch.root, "gopath"),
  GOMODCACHE: join(scratch.root, "gocache"),
  GOCACHE: join(scratch.root, "gobuild"),
  GOFLAGS: "-modcacherw",
  GOPROXY: "off",
  GOSUMDB: "off",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
});

const run = (command: string, env: Record<string, string> = {}, cwd = "project"): string =>
  execFileSync("sh", ["-c", command], {
    cwd: join(scratch.root, cwd),
    env: { ...environment(), ...env },
    encoding: "utf8",
    stdio: "pipe",
  });

const prepare = (top = "project", env = environment()): Promise<Prepared> => {
  const tree = join(scratch.root, "project");
  return prepareTree(
    { env, confinement: undefined, signal: new AbortController().signal },
    { tree, top: join(scratch.root, top), prefix: "", command: undefined, folders: [], timeoutMs: 120_000 },
  );
};

const CRATE = "pub fn twice(n: u32) -> u32 {\n    n * 2\n}\n";
const USES = `pub fn four() -> u32 {
    dep::twice(2)
}

#[test]
fn is_four() {
    assert_eq!(four(), 4);
}
`;
const manifest = (name: string, dependencies = ""): string =>
  `[package]\nname = "${name}"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\n${dependencies}\n`;

test.skipIf(!HAS_CARGO)(
  "cargo: a crate of the tree and a vendored one are found without a network",
  async () => {
    scratch.put("project/Cargo.toml", manifest("app", 'dep = { path = "dep" }\nfar = "1.0.0"'));
    scratch.put("project/src/lib.rs", USES.replace("dep::twice(2)", "far::same(dep::twice(2))"));
    scratch.put("project/dep/Cargo.toml", manifest("dep"));
    scratch.put("project/dep/src/lib.rs", CRATE);
    scratch.put("project/vendor/far/Cargo.toml", manifest("far"));
    scratch.put("project/vendor/far/src/lib.rs", "pub fn same(n: u32) -> u32 {\n    n\n}\n");
    scratch.put("project/vendor/far/.cargo-checksum.json", '{ "files": {} }');
    scratch.put(
      "project/.cargo/config.toml",
      '[source.crates-io]\nreplace-with = "vendored"\n\n[source.vendored]\ndirectory = "vendor"\n',
    );
    run("cargo generate-lockfile --offline");
    const { how, env, problem } = await prepare();
    expect(problem).toBeUndefined();
    expect(how).toEqual(["cargo fetch --locked --offline"]);
    expect(run("cargo test --offline --locked", env)).toContain("test is_four ... ok");
  },
);

test.skipIf(!HAS_CARGO)("cargo: what was downloaded before is found where the far end is gone", async () => {
  scratch.put("far/Cargo.toml", manifest("dep"));
  scratch.put("far/src/lib.rs", CRATE);
  run("git init -q && git add -A && git -c user.name=a -c user.email=a@localhost commit -qm dep", {}, "far");
  scratch.put("project/Cargo.toml", manifest("app", `dep = { git = "file://${scratch.root}/far" }`));
  scratch.put("project/src/lib.rs", USES);
  run("cargo fetch");
  rmSync(join(scratch.root, "far"), { recursive: true });
  const { how, env, problem } = await prepare();
  expect(problem).toBeUndefined();
  expect(how).toEqual(["cargo fetch --locked --offline"]);
  expect(run("cargo test --offline --locked", env)).toContain("test is_four ... ok");
});

/** A proxy in a folder, as Go's tools make one of their cache, with one module. */
const putProxy = (): string => {
  const at = "proxy/example.com/far/@v";
  scratch.put(`${at}/list`, "v1.0.0\n");
  scratch.put(`${at}/v1.0.0.info`, '{ "Version": "v1.0.0", "Time": "2024-01-01T00:00:00Z" }');
  scratch.put(`${at}/v1.0.0.mod`, "module example.com/far\n\ngo 1.19\n");
  const files = {
    "go.mod": "module example.com/far\n\ngo 1.19\n",
    "far.go": "package far\n\nfunc Twice(n int) int { return n * 2 }\n",
  };
  const write = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as file:
    for name, text in json.loads(sys.argv[2]).items():
        file.writestr("example.com/far@v1.0.0/" + name, text)`;
  execFileSync("python3", ["-c", write, join(scratch.root, at, "v1.0.0.zip"), JSON.stringify(files)]);
  return `file://${scratch.root}/proxy`;
};

const putGo = (): void => {
  scratch.put("project/go.mod", "module example.com/app\n\ngo 1.19\n\nrequire example.com/far v1.0.0\n");
  scratch.put(
    "project/app_test.go",
    'package app\n\nimport (\n\t"testing"\n\n\t"example.com/far"\n)\n\nfunc TestFour(t *testing.T) {\n\tif far.Twice(2) != 4 {\n\t\tt.Fatal("not four")\n\t}\n}\n',
  );
};

test.skipIf(!HAS_GO)("go: modules that were downloaded before are found without a proxy", async () => {
  const GOPROXY = putProxy();
  putGo();
  run("go mod tidy", { GOPROXY });
  const { how, env, problem } = await prepare();
  expect(problem).toBeUndefined();
  expect(how).toEqual(["look for the modules of go.sum"]);
  expect(run("go test ./...", env)).toContain("ok");
  rmSync(join(scratch.root, "gocache"), { recursive: true });
  expect((await prepare()).problem).toContain("failed, also with the network");
});

test.skipIf(!HAS_GO)("go: vendored modules need nothing that was downloaded", async () => {
  const GOPROXY = putProxy();
  putGo();
  run("go mod tidy && go mod vendor", { GOPROXY });
  rmSync(join(scratch.root, "gocache"), { recursive: true });
  const { how, env, problem } = await prepare();
  expect(problem).toBeUndefined();
  expect(how).toEqual([]);
  expect(run("go test ./...", env)).toContain("ok");
});

test("an installer that nobody has is needed only where something of it was installed", async () => {
  scratch.put("project/uv.lock", "version = 1\n");
  scratch.put("used/uv.lock", "version = 1\n");
  scratch.put("used/.venv/pyvenv.cfg", "");
  scratch.put("bin/node", "");
  const env = { ...environment(), PATH: join(scratch.root, "bin") };
  expect(await prepare("project", env)).toEqual({
    how: ["nothing for uv.lock: its installer is not here, and the project has no .venv"],
    env: {},
  });
  expect((await prepare("used", env)).problem).toContain("uv");
});
