import { readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnMarked } from "../../core/child-process.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { type ChildIdentity, findIdentity } from "../../core/process-identity.ts";
import { signalProcess } from "../../core/process-tree.ts";
import { waitFor } from "../wait-for.ts";
import { asServerUser } from "./find-postgres.ts";

/** Where one server has its programs and its files, and the mark of everything started for it. */
export type ServerPlace = { bin: string; folder: string; data: string; mark: string };

/**
 * Ends the server and removes its folder when the pipe ends without a word: whoever started it is gone then,
 * however that came. PostgreSQL writes over the environment of its processes, so a mark would not find them.
 */
const GUARD = `
read -r word && exit
"$1" -D "$2/data" -m immediate stop
rm -rf "$2"`;

/** Watches over a server for as long as we live. The function it returns says that the guard is not needed any more. */
export const startGuard = ({ bin, folder, mark }: ServerPlace): (() => void) => {
  const [command, args] = asServerUser("sh", ["-c", GUARD, "guard", join(bin, "pg_ctl"), folder]);
  const { child } = spawnMarked({ command, args, cwd: "/", env: { PATH: process.env["PATH"] }, mark });
  child.stdout?.resume();
  child.stderr?.resume();
  // Bun reports a pipe whose reader has read the word and ended.
  child.stdin?.on("error", () => {});
  return () => child.stdin?.end("done\n");
};

export type ServerProcess = {
  /** kill -9 for every process of it */
  kill: () => Promise<void>;
  end: (signal: "SIGQUIT" | "SIGINT") => Promise<void>;
};

/** On Linux; elsewhere they end by themselves, a moment after the one that we started. */
const childrenOf = ({ pid }: ChildIdentity): ChildIdentity[] => {
  if (process.platform !== "linux") return [];
  // A server whose disk was full may have ended by itself.
  const children = readFileIfThere(`/proc/${pid}/task/${pid}/children`) ?? "";
  return children
    .split(" ")
    .filter((child) => child !== "")
    .map((child) => findIdentity(Number(child)))
    .filter((identity) => identity !== undefined);
};

const killAll = async (processes: readonly ChildIdentity[]): Promise<void> => {
  for (const identity of processes) signalProcess(identity, "SIGKILL");
  for (const { pid, startTime } of processes)
    await waitFor(`process ${pid} to end`, () => findIdentity(pid)?.startTime !== startTime);
};

/** Starts the server and waits until it accepts connections. @throws Error with its log when it does not */
export const startProcess = async (
  { bin, folder, data, mark }: ServerPlace,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> => {
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const [command, args] = asServerUser(join(bin, "postgres"), ["-D", data, ...options]);
  const env = { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" };
  const { child, failure } = spawnMarked({ command, args, cwd: folder, env, mark });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      log = (log + String(chunk)).slice(-100_000);
      if (log.includes("database system is ready to accept")) resolve();
    });
    child.once("exit", () => reject(new Error(`PostgreSQL ended before it was ready:\n${log}`)));
    void failure.then(reject);
  });
  const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  const postmaster = findIdentity(pid);
  if (!postmaster) throw new Error(`PostgreSQL ended at once:\n${log}`);
  return {
    kill: async () => {
      await killAll([postmaster, ...childrenOf(postmaster)]);
      await exited;
    },
    end: async (signal) => {
      signalProcess(postmaster, signal);
      await exited;
    },
  };
};
