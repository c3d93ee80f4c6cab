import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SpawnedServer, spawnServer } from "../server/fixtures/spawn-server.ts";
import { bunBinary } from "./bun.ts";

const root = join(import.meta.dirname, "..");
const PAGES = ["docs/memory.md", "docs/server.md"];

const has = (program: string): boolean => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
const missing = ["bash", "curl", "jq", "tar"].filter((program) => !has(program));

/** The pasteable blocks of a page; `# prints x` in one says what its output holds. */
const blocksOf = (page: string): { code: string; prints: string[] }[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/```bash\n(.*?)```/gs)].map(([, code = ""]) => ({
    code,
    prints: [...code.matchAll(/^# prints (.+)$/gm)].map(([, text = ""]) => text),
  }));

let home: string;
let server: SpawnedServer;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "nightshift-docs-"));
  server = await spawnServer(home);
  mkdirSync(join(home, "bin"));
  const command = join(home, "bin/nightshift");
  writeFileSync(command, `#!/bin/sh\nexec "${bunBinary()}" "${root}/scripts/nightshift.ts" "$@"\n`);
  chmodSync(command, 0o755);
});
afterAll(async () => {
  await server.end("SIGTERM");
  rmSync(home, { recursive: true, force: true });
});

const paste = async (code: string): Promise<{ code: number | null; output: string; errors: string }> => {
  const child = spawn(
    "bash",
    ["-euo", "pipefail", "-c", code.replaceAll("http://127.0.0.1:4747", server.url)],
    {
      cwd: home,
      env: {
        PATH: `${join(home, "bin")}:${process.env["PATH"]}`,
        HOME: home,
        NIGHTSHIFT_HOME: join(home, ".nightshift"),
        NIGHTSHIFT_URL: server.url,
      },
    },
  );
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (errors += String(chunk)));
  const [exit] = (await once(child, "close")) as [number | null];
  return { code: exit, output, errors };
};

describe.skipIf(missing.length > 0)(
  `examples of the pages (need ${missing.join(", ") || "nothing more"})`,
  () => {
    for (const page of PAGES)
      test(`every example of ${page} works as pasted`, async () => {
        const blocks = blocksOf(page);
        expect(blocks.length).toBeGreaterThan(3);
        for (const { code, prints } of blocks) {
          const done = await paste(code);
          expect(done, code).toMatchObject({ code: 0 });
          let rest = done.output;
          for (const text of prints) {
            expect(rest, code).toContain(text);
            rest = rest.slice(rest.indexOf(text) + text.length);
          }
        }
      });
  },
);
