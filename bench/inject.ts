// Speed of POST /inject over HTTP with a 2 KB context, beside one FTS5 query of the same terms.
// Run with: npx bun bench/inject.ts [learnings ...]      (on Node: node --import jiti/register bench/inject.ts)
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../db/open-database.ts";
import { createAliases } from "../server/memory/analysis/aliases.ts";
import { analyzeContext } from "../server/memory/analysis/analyze.ts";
import { describeCorpus } from "../server/memory/ranking/rank.ts";
import { chooseTerms } from "../server/memory/ranking/retrieve.ts";
import { createSqliteStores } from "../server/memory/sqlite/store.ts";
import {
  describeTimes,
  importLearnings,
  injection,
  isBun,
  makeContext,
  makeLearning,
  median,
  post,
  startBenchServer,
} from "./parts/memory-load.ts";

const sizes = process.argv.slice(2).map(Number).filter(Boolean);
const REQUESTS = 600;
const LEARNS = 200;
const CLIENTS = 8;
/** asked before anything is measured: a runtime compiles what runs often only after a while */
const WARM_UP = 1000;
const rssMegabytes = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

const TICKS_PER_SECOND = 100;
/** What the process has used of a processor: unlike the clock, not disturbed by what else runs on the machine. */
const cpuMs = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
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
  const contexts = Array.from({ length: REQUESTS }, makeContext);
  const { url, pid, stop } = await startBenchServer(folder);
  try {
    const key = readFileSync(join(folder, "key"), "utf8").trim();
    const ask = (context: string): Promise<number> => post(`${url}/inject`, key, injection(context));
    const loadMs = await importLearnings(url, key, count);
    for (let at = 0; at < WARM_UP; at++) await ask(makeContext());
    const times: number[] = [];
    const cpuBefore = cpuMs(pid);
    for (const context of contexts) times.push(await ask(context));
    const cpuPerRequest = (cpuMs(pid) - cpuBefore) / contexts.length;
    const cpuBeforeMany = cpuMs(pid);
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, lane) => {
        for (let at = lane; at < contexts.length; at += CLIENTS) await ask(contexts[at] ?? "");
      }),
    );
    const perSecond = (1000 * contexts.length) / (performance.now() - startedAt);
    const cpuOfMany = (cpuMs(pid) - cpuBeforeMany) / contexts.length;
    const learn: number[] = [];
    for (let at = 0; at < LEARNS; at++) learn.push(await post(`${url}/learn`, key, makeLearning()));
    const rss = rssMegabytes(pid);
    console.log(
      `${count} learnings (${isBun ? "Bun" : "Node"} ${process.versions[isBun ? "bun" : "node"]}), imported in ${(loadMs / 1000).toFixed(1)} s`,
    );
    console.log(
      `  /inject, 2 KB context   ${describeTimes(times)}; ${perSecond.toFixed(0)} requests/s with ${CLIENTS} clients`,
    );
    console.log(
      `  processor time a request ${cpuPerRequest.toFixed(2)} ms one by one, ${cpuOfMany.toFixed(2)} ms with ${CLIENTS} clients, so ${(1000 / cpuOfMany).toFixed(0)} requests/s on one core of its own`,
    );
    console.log(`  /learn                  ${describeTimes(learn)}`);
    console.log(`  memory of the process   ${rss.toFixed(0)} MB`);
    await stop();
    const fts = await measureFts(folder, contexts);
    console.log(`  the FTS5 query alone    ${describeTimes(fts)}`);
    console.log(`  ratio of the medians    ${(median(times) / median(fts)).toFixed(2)}`);
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

for (const count of sizes.length > 0 ? sizes : [10_000, 100_000]) await measure(count);
