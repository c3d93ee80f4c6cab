import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { AppError } from "../../core/errors.ts";
import { builtProgram } from "../../core/version.ts";

export type RunningServer = { url: string; stop: () => Promise<void> };

/**
 * Starts the server as a process of its own on a free port, with its data in `home`; tasks talk HTTP to
 * it like everybody else. @throws AppError `unavailable` with what it said when it does not come up
 */
export const startDemoServer = async (
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Promise<RunningServer> => {
  const child = spawn(process.execPath, [builtProgram("server/main.js")], {
    env: {
      ...env,
      HOME: home,
      NIGHTSHIFT_HOME: `${home}/.nightshift`,
      HOST: "127.0.0.1",
      PORT: "0",
      LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const address = new Promise<string | undefined>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /https?:\/\/\S+/.exec(line)?.[0];
      if (url) resolve(url);
    });
    void exited.then(() => resolve(undefined));
  });
  const url = await address;
  if (url === undefined) throw new AppError("unavailable", `the server did not start: ${said.trim()}`);
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
};
