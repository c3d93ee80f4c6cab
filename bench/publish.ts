// Publishing 500 files, 50 MiB, over loopback, beside hashing, syncing and renaming the same files without a server.
// Run with: node bench/run.mjs publish
import { spawn } from "node:child_process";
import { createHash, randomFillSync } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../core/clock.ts";
import { readPort } from "../server/fixtures/test-server.ts";
import { publishFolder } from "../scripts/publish/publish-folder.ts";
import { retryingFetch } from "../client/retrying-fetch.ts";
import { createServerApi } from "../client/server-client.ts";

const FILES = 500;
const BYTES = 50 * 1024 * 1024;
const ROUNDS = 5;
const root = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const folder = join(root, "site");
const names = Array.from({ length: FILES }, (_, index) => (index === 0 ? "index.html" : `file-${index}.bin`));

/** Fresh random files, so that nothing is there already. */
const writeFiles = (): void => {
  mkdirSync(folder, { recursive: true });
  for (const name of names)
    writeFileSync(join(folder, name), randomFillSync(Buffer.alloc(Math.floor(BYTES / FILES))));
};

/** What storing durably costs by itself: one file after another, as a careful program would write it. */
const storePlainly = (target: string): number => {
  mkdirSync(target);
  const startedAt = performance.now();
  for (const name of names) {
    const content = readFileSync(join(folder, name));
    const sha256 = createHash("sha256").update(content).digest("hex");
    const temporary = join(target, `${sha256}.tmp`);
    const file = openSync(temporary, "wx");
    writeSync(file, content);
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, join(target, sha256));
  }
  return performance.now() - startedAt;
};

const home = join(root, "home");
const child = spawn(process.execPath, ["server/main.ts"], {
  cwd: join(import.meta.dirname, ".."),
  env: {
    ...process.env,
    HOME: home,
    NIGHTSHIFT_HOME: home,
    MEMORY_API_KEY_FILE: join(root, "key"),
    PORT: "0",
    LOG_LEVEL: "error",
  },
  stdio: ["ignore", "pipe", "pipe"],
});
const port = await readPort(child);
const { signal } = new AbortController();
const token = readFileSync(join(home, "admin-token"), "utf8").trim();
const access = { url: `http://127.0.0.1:${port}`, readKey: () => token };
const again = retryingFetch({ fetch, clock: systemClock, random: Math.random }, signal);
const server = {
  repeating: createServerApi({ ...access, fetch: again }),
  once: createServerApi({ ...access, fetch }),
};

const plain: number[] = [];
const published: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  writeFiles();
  plain.push(storePlainly(join(root, `plain-${round}`)));
  const startedAt = performance.now();
  await publishFolder(
    { server, signal, onEvent: () => {} },
    { folder, site: "bench", mode: "live", parallel: 8 },
  );
  published.push(performance.now() - startedAt);
  const [own, ours] = [plain.at(-1) ?? 0, published.at(-1) ?? 0];
  console.log(
    `round ${round + 1}: sha256 + fsync + rename ${own.toFixed(0)} ms, published ${ours.toFixed(0)} ms, ${(ours / own).toFixed(2)}x`,
  );
}
const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
console.log(
  `median: ${middle(plain).toFixed(0)} ms and ${middle(published).toFixed(0)} ms, ratio ${(middle(published) / middle(plain)).toFixed(2)} (budget 4)`,
);
child.kill("SIGKILL");
rmSync(root, { recursive: true, force: true });
process.exit(0);
