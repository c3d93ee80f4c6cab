// Start of the server to its first answer, beside an empty Elysia app, both on Bun.
// Run with: npx bun bench/server-start.ts
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BUDGET = 4;
const ROUNDS = 11;
const root = join(import.meta.dirname, "..");

const EMPTY = `import { Elysia } from ${JSON.stringify(join(root, "node_modules/elysia/dist/index.mjs"))};
const app = new Elysia().get("/health", () => "ok").listen({ port: 0, hostname: "127.0.0.1" });
process.stdout.write("listens on http://127.0.0.1:" + app.server.port + "\\n");`;

const INJECT = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ context: "deploy the api" }),
};

/** Until `/health` answers, or until `/inject` does. */
const firstAnswerMs = async (
  file: string,
  env: Record<string, string>,
  ask: "/health" | "/inject" = "/health",
): Promise<number> => {
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
  const response = await fetch(`${url}${ask}`, ask === "/inject" ? INJECT : {});
  await response.text();
  if (!response.ok) throw new Error(`${ask} answered ${response.status}`);
  const ms = performance.now() - startedAt;
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  return ms;
};

const main = join(root, "server/main.ts");
const folder = mkdtempSync(join(tmpdir(), "nightshift-start-"));
const empty = join(folder, "empty.ts");
writeFileSync(empty, EMPTY);
const times = { empty: [], server: [], inject: [], first: [] } as Record<string, number[]>;
const note = (what: string, ms: number): void => void times[what]?.push(ms);
try {
  for (let round = 0; round < ROUNDS; round++) {
    const home = join(folder, `home-${round}`);
    const env = { HOME: home, NIGHTSHIFT_HOME: join(home, "data") };
    note("empty", await firstAnswerMs(empty, env));
    // The first start of a folder also makes the database and the keys.
    note("first", await firstAnswerMs(main, env));
    note("server", await firstAnswerMs(main, env));
    note("inject", await firstAnswerMs(main, env, "/inject"));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const median = (what: string): number =>
  [...(times[what] ?? [])].sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
const theirs = median("empty");
const describe = (what: string): string =>
  `${median(what).toFixed(0)} ms, ratio ${(median(what) / theirs).toFixed(2)}`;
console.log(`empty Elysia app     ${theirs.toFixed(0)} ms to the first answer (median of ${ROUNDS})`);
console.log(`/health              ${describe("server")}`);
console.log(
  `/inject              ${describe("inject")} (budget ${BUDGET})${median("inject") <= BUDGET * theirs ? "" : " MISSED"}`,
);
console.log(`the very first start ${describe("first")}`);
