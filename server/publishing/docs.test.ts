import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { startTestServer } from "../fixtures/test-server.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)("the calls of docs/publishing.md publish a page when they are pasted", async () => {
  const root = mkdtempSync(join(tmpdir(), "nightshift-docs-"));
  mkdirSync(join(root, "work"));
  // A process of its own: the pasted lines are waited for.
  const server = await startTestServer("bun", { home: join(root, ".nightshift") });
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/publishing.md"), "utf8");
  const chapter = page.split("## How do I publish over HTTP?")[1] ?? "";
  const lines = /```sh\n([\s\S]*?)```/.exec(chapter)?.[1] ?? "";
  const said = execFileSync("bash", ["-euc", lines.replaceAll(":4747", `:${server.port}`)], {
    cwd: join(root, "work"),
    env: { PATH: process.env["PATH"] ?? "", HOME: root },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 240_000,
  });
  await server.stop();
  rmSync(root, { recursive: true, force: true });
  expect(said).toMatch(/"ok":true[\s\S]*"status":"active"/);
  expect(said.endsWith("<h1>Hello</h1>")).toBe(true);
});
