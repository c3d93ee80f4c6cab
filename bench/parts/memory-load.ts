import { spawn } from "node:child_process";
import { join } from "node:path";
import { cleanEnv } from "./measure.ts";

// What the benches of the memory have in common: made-up learnings, a server to ask, and how long it took.

export const isBun = "Bun" in globalThis;

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

/** A learning as `/learn` takes it, and as a line of an import. */
export const makeLearning = (): string => JSON.stringify({ trigger: words(8), learning: words(25) });
/** 2 KB of text for `/inject`. */
export const makeContext = (): string => words(280).slice(0, 2048);
export const injection = (context: string): string =>
  JSON.stringify({ context, format: "prompt", limit: 5, minStrength: 0 });

const quantile = (times: readonly number[], q: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(q * times.length))] ?? 0;
export const median = (times: readonly number[]): number => quantile(times, 0.5);
export const describeTimes = (times: readonly number[]): string =>
  `p50 ${median(times).toFixed(2)} ms, p95 ${quantile(times, 0.95).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms`;

export type BenchServer = { url: string; pid: number | undefined; stop: () => Promise<void> };

/** A server of this runtime on a free port; its memory key is in the file `key` of the folder. */
export const startBenchServer = async (
  folder: string,
  env: Record<string, string> = {},
): Promise<BenchServer> => {
  const child = spawn(process.execPath, [isBun ? "server/main.ts" : "dist/server/main.js"], {
    cwd: join(import.meta.dirname, "../.."),
    env: {
      ...cleanEnv(folder),
      NIGHTSHIFT_HOME: folder,
      PORT: "0",
      MEMORY_API_KEY_FILE: join(folder, "key"),
      LOG_LEVEL: "warn",
      MEMORY_WRITES_PER_MINUTE: "1000000",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    void exited.then(() => reject(new Error("the server did not start")));
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /http:\S+/.exec(String(chunk))?.[0];
      if (found) resolve(found);
    });
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
  };
  return { url, pid: child.pid, stop };
};

/** The milliseconds until the whole answer was there. @throws unless it was a success */
export const post = async (url: string, key: string, body: string): Promise<number> => {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return performance.now() - startedAt;
};

/** Imports made-up learnings; returns the milliseconds it took. */
export const importLearnings = async (url: string, key: string, count: number): Promise<number> => {
  let elapsedMs = 0;
  for (let at = 0; at < count; at += 5000) {
    const lines = Array.from({ length: Math.min(5000, count - at) }, makeLearning);
    elapsedMs += await post(`${url}/learnings/import`, key, lines.join("\n"));
  }
  return elapsedMs;
};
