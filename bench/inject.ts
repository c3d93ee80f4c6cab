// Speed of POST /inject over HTTP with a 2 KB context, beside one FTS5 query of the same terms.
// Run with: npx bun bench/inject.ts [learnings ...]      (on Node: node --import jiti/register bench/inject.ts)
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../server/db/open-database.ts";
import { createAliases } from "../server/memory/analysis/aliases.ts";
import { analyzeContext } from "../server/memory/analysis/analyze.ts";
import { describeCorpus } from "../server/memory/rank.ts";
import { chooseTerms } from "../server/memory/retrieve.ts";
import { createSqliteStores } from "../server/memory/sqlite-store.ts";

const sizes = process.argv.slice(2).map(Number).filter(Boolean);
const root = join(import.meta.dirname, "..");
const REQUESTS = 600;
/** asked before anything is measured: a runtime compiles what runs often only after a while */
const WARM_UP = 1000;
const isBun = "Bun" in globalThis;

/** A repeatable random number, so that every run asks the same. */
const createRandom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

const random = createRandom(7);
const SYLLABLES = "ba co di fu ga ho ji ka le mo nu pa qui ro su ta ve wo xi yo zu tra ple sti gro".split(
  " ",
);
// 20,000 made-up words whose frequencies fall off as they do in prose.
const WORDS = Array.from({ length: 20_000 }, () =>
  Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
  ).join(""),
);
const word = (): string => WORDS[Math.floor(WORDS.length ** random()) - 1] ?? "ba";
const words = (count: number): string => Array.from({ length: count }, word).join(" ");

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
const describe = (times: readonly number[]): string => {
  const sorted = [...times].sort((a, b) => a - b);
  return `p50 ${quantile(sorted, 0.5).toFixed(2)} ms, p95 ${quantile(sorted, 0.95).toFixed(2)} ms, p99 ${quantile(sorted, 0.99).toFixed(2)} ms`;
};

const startServer = async (folder: string) => {
  const command = isBun ? [process.execPath, "server/main.ts"] : [process.execPath, "dist/server/main.js"];
  const child = spawn(command[0] ?? "", command.slice(1), {
    cwd: root,
    env: {
      ...process.env,
      HOME: folder,
      NIGHTSHIFT_HOME: folder,
      PORT: "0",
      MEMORY_API_KEY_FILE: join(folder, "key"),
      LOG_LEVEL: "warn",
      MEMORY_WRITES_PER_MINUTE: "1000000",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the server did not start")));
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /http:\S+/.exec(String(chunk))?.[0];
      if (found) resolve(found);
    });
  });
  return { url, child, key: readFileSync(join(folder, "key"), "utf8").trim() };
};

const rssMegabytes = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

const TICKS_PER_SECOND = 100;
/** What the process has used of a processor: unlike the clock, not disturbed by what else runs on the machine. */
const cpuMs = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
};

const load = async (url: string, key: string, count: number): Promise<number> => {
  const startedAt = performance.now();
  for (let at = 0; at < count; at += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, count - at) }, () =>
      JSON.stringify({ trigger: words(8), learning: words(25) }),
    );
    const response = await fetch(`${url}/learnings/import`, {
      method: "POST",
      body: lines.join("\n"),
      headers: { authorization: `Bearer ${key}` },
    });
    if (!response.ok) throw new Error(await response.text());
  }
  return performance.now() - startedAt;
};

const askOne = async (url: string, context: string): Promise<number> => {
  const startedAt = performance.now();
  const response = await fetch(`${url}/inject`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ context, format: "prompt", limit: 5, minStrength: 0 }),
  });
  await response.text();
  if (!response.ok) throw new Error(`/inject answered ${response.status}`);
  return performance.now() - startedAt;
};

const measureLearn = async (url: string, key: string): Promise<number[]> => {
  const times: number[] = [];
  for (let at = 0; at < 200; at++) {
    const body = JSON.stringify({ trigger: words(8), learning: words(25) });
    const startedAt = performance.now();
    const response = await fetch(`${url}/learn`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    await response.text();
    times.push(performance.now() - startedAt);
  }
  return times;
};

/** What the engine alone takes for the same terms, in this process and on the same file. */
const measureFts = async (folder: string, contexts: readonly string[]): Promise<number[]> => {
  const db = openDatabase(folder);
  try {
    const stores = createSqliteStores(db, Date.now);
    const totals = await stores.learnings.totals();
    const times: number[] = [];
    for (const context of contexts) {
      const concepts = analyzeContext(context, createAliases());
      const counts = await stores.learnings.documentsWith(concepts.map(({ term }) => term));
      const corpus = describeCorpus(totals, counts);
      const query = chooseTerms(concepts, corpus)
        .map((term) => `"${term}"`)
        .join(" OR ");
      const startedAt = performance.now();
      db.all("SELECT rowid FROM memory_index WHERE memory_index MATCH ? ORDER BY rank LIMIT 80", [query]);
      times.push(performance.now() - startedAt);
    }
    return times;
  } finally {
    db.close();
  }
};

const measure = async (count: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
  const contexts = Array.from({ length: REQUESTS }, () => words(280).slice(0, 2048));
  const { url, child, key } = await startServer(folder);
  try {
    const loadMs = await load(url, key, count);
    for (let at = 0; at < WARM_UP; at++) await askOne(url, words(280).slice(0, 2048));
    const times: number[] = [];
    const cpuBefore = cpuMs(child.pid);
    for (const context of contexts) times.push(await askOne(url, context));
    const cpuPerRequest = (cpuMs(child.pid) - cpuBefore) / contexts.length;
    const cpuBeforeMany = cpuMs(child.pid);
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: 8 }, async (_, lane) => {
        for (let at = lane; at < contexts.length; at += 8) await askOne(url, contexts[at] ?? "");
      }),
    );
    const perSecond = (1000 * contexts.length) / (performance.now() - startedAt);
    const cpuOfMany = (cpuMs(child.pid) - cpuBeforeMany) / contexts.length;
    const learn = await measureLearn(url, key);
    const rss = rssMegabytes(child.pid);
    console.log(
      `${count} learnings (${isBun ? "Bun" : "Node"} ${process.versions[isBun ? "bun" : "node"]}), imported in ${(loadMs / 1000).toFixed(1)} s`,
    );
    console.log(
      `  /inject, 2 KB context   ${describe(times)}; ${perSecond.toFixed(0)} requests/s with 8 clients`,
    );
    console.log(
      `  processor time a request ${cpuPerRequest.toFixed(2)} ms one by one, ${cpuOfMany.toFixed(2)} ms with 8 clients, so ${(1000 / cpuOfMany).toFixed(0)} requests/s on one core of its own`,
    );
    console.log(`  /learn                  ${describe(learn)}`);
    console.log(`  memory of the process   ${rss.toFixed(0)} MB`);
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    const fts = await measureFts(folder, contexts);
    console.log(`  the FTS5 query alone    ${describe(fts)}`);
    const median = (list: readonly number[]) =>
      quantile(
        [...list].sort((a, b) => a - b),
        0.5,
      );
    console.log(`  ratio of the medians    ${(median(times) / median(fts)).toFixed(2)}`);
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
};

for (const count of sizes.length > 0 ? sizes : [10_000, 100_000]) await measure(count);
