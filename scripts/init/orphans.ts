import { readdirSync, readFileSync } from "node:fs";
import { MARKER } from "../../core/process-tree.ts";
import type { listWorkers } from "../../worker/state/worker-store.ts";

type Workers = ReturnType<typeof listWorkers>["workers"];

const readMarks = (pid: string): string[] => {
  try {
    const entry = readFileSync(`/proc/${pid}/environ`, "latin1")
      .split("\0")
      .find((line) => line.startsWith(`${MARKER}=`));
    return entry?.slice(MARKER.length + 1).split(":") ?? [];
  } catch {
    return []; // gone meanwhile, or somebody else's
  }
};

/** Processes of sessions whose worker is no longer running. Only Linux shows the environment of others. */
export const findOrphans = (workers: Workers): { pid: number; mark: string }[] => {
  if (process.platform !== "linux") return [];
  const dead = JSON.stringify(
    workers.filter(({ shown }) => shown === "crashed" || shown === "stopped" || shown === "failed"),
  );
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const mark = readMarks(name).find((one) => one !== "" && dead.includes(JSON.stringify(one)));
      return mark === undefined ? [] : [{ pid: Number(name), mark }];
    });
};
