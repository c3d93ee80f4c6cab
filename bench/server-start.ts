// Start of the server to its first answer, beside an empty Elysia app, both on Bun.
// Run with: npx bun bench/server-start.ts
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BUDGET = 2.5;
const ROUNDS = 11;
const root = join(import.meta.dirname, "..");

const EMPTY = `import { Elysia } from ${JSON.stringify(join(root, "node_modules/elysia/dist/index.mjs"))};
const app = new Elysia().get("/health", () => "ok").listen({ port: 0, hostname: "127.0.0.1" });
process.stdout.write("listens on http://127.0.0.1:" + app.server.port + "\\n");`;

const firstAnswerMs = async (file: string, env: Record<string, string>): Promise<number> => {
  const startedAt = performance.now();
  const child: ChildProcess = spawn(process.execPath, [file], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "error", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`${file} ended before it listened`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      const found = /http:\S+/.exec(String(chunk))?.[0];
      if (found) resolve(found);
    });
  });
  const response = await fetch(`${url}/health`);
  await response.text();
  const ms = performance.now() - startedAt;
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  return ms;
};

const folder = mkdtempSync(join(tmpdir(), "nightshift-start-"));
const empty = join(folder, "empty.ts");
writeFileSync(empty, EMPTY);
const times = { empty: [] as number[], server: [] as number[], first: [] as number[] };
try {
  for (let round = 0; round < ROUNDS; round++) {
    const home = join(folder, `home-${round}`);
    const env = { HOME: home, NIGHTSHIFT_HOME: join(home, "data") };
    times.empty.push(await firstAnswerMs(empty, env));
    // The first start of a folder also makes the database and the keys.
    times.first.push(await firstAnswerMs(join(root, "server/main.ts"), env));
    times.server.push(await firstAnswerMs(join(root, "server/main.ts"), env));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
console.log(
  `empty Elysia app   ${median(times.empty).toFixed(0)} ms to the first answer (median of ${ROUNDS})`,
);
console.log(
  `the server         ${median(times.server).toFixed(0)} ms, its very first start ${median(times.first).toFixed(0)} ms`,
);
const ratio = median(times.server) / median(times.empty);
console.log(`ratio              ${ratio.toFixed(2)} (budget ${BUDGET})${ratio <= BUDGET ? "" : " MISSED"}`);
