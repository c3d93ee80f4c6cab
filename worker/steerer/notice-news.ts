import { createHash } from "node:crypto";
import { join } from "node:path";
import { plural } from "../../core/plural.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { type MemoryPorts, type MemorySettings, tryMemory } from "../session/memory-client.ts";
import { ACTIVE } from "../state/worker-state.ts";
import type { ListedWorker } from "../state/worker-store.ts";
import type { DirRecord } from "./ledger.ts";
import type { SteerLog } from "./steer-log.ts";

const digestOf = (text: string | undefined): string =>
  text === undefined ? "absent" : createHash("sha256").update(text).digest("hex").slice(0, 16);

/** One that is a folder, or closed to us, is none. */
const readGuide = (path: string): string | undefined => {
  try {
    return readFileIfThere(path);
  } catch {
    return undefined;
  }
};

/** Who will see a change: the workers that go on to another session. */
const audience = (workers: readonly ListedWorker[]): string => {
  const names = workers
    .filter(({ recordedStatus }) => ACTIVE.includes(recordedStatus))
    .map(({ name }) => name);
  return names.length === 0
    ? "the next worker started there will see it"
    : `the next session of ${names.join(", ")} will see it`;
};

/** Says when AGENTS.md of a directory has changed; the first look only remembers. */
export const noticeGuides = (
  log: SteerLog,
  record: DirRecord,
  { dirs, workers }: { dirs: readonly string[]; workers: readonly ListedWorker[] },
): void => {
  for (const dir of new Set([...dirs, ...workers.map((worker) => worker.dir)])) {
    const digest = digestOf(readGuide(join(dir, "AGENTS.md")));
    const before = record.guides[dir];
    record.guides[dir] = digest;
    if (before === undefined || before === digest) continue;
    log.tell("agents-md", {
      dir,
      message: `AGENTS.md of ${dir} ${digest === "absent" ? "was removed" : "has changed"}; ${audience(workers.filter((worker) => worker.dir === dir))}`,
    });
  }
};

/** Says when the memory service holds more or fewer learnings than after our own last writing. */
export const noticeMemory = async (
  ports: MemoryPorts & { log: SteerLog },
  settings: MemorySettings,
  { record, workers, isOwn }: { record: DirRecord; workers: readonly ListedWorker[]; isOwn: boolean },
): Promise<string | undefined> => {
  const { answer, problem } = await tryMemory(ports, settings, (client, options) =>
    client.stats.get(options),
  );
  if (!answer) return problem;
  const total = answer.total_learnings;
  const before = record.memoryTotal;
  record.memoryTotal = total;
  if (isOwn || before === undefined || before === total) return undefined;
  const difference = Math.abs(total - before);
  const what = plural(difference, `${total > before ? "more" : "fewer"} learning`);
  ports.log.tell("memory-changed", { message: `the memory has ${what}; ${audience(workers)}` });
  return undefined;
};
