import { execFile } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** The file a command name stands for: a path as given, a bare name on `PATH` of `env`. */
export const findProgram = async (command: string, env: Environment): Promise<string | undefined> => {
  if (command.includes("/")) {
    const path = isAbsolute(command) ? command : resolve(command);
    return (await isProgram(path)) ? path : undefined;
  }
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    if (folder === "") continue;
    const path = join(folder, command);
    if (await isProgram(path)) return path;
  }
  return undefined;
};

/** The version a program prints for `--version`; undefined when it prints none in time. */
export const readProgramVersion = (
  command: string,
  env: Environment,
  timeoutMs = 10_000,
): Promise<string | undefined> =>
  new Promise((done) => {
    execFile(command, ["--version"], { env, timeout: timeoutMs, killSignal: "SIGKILL" }, (_, stdout) =>
      done(/\d+\.\d+\.\d+[\w.+-]*/.exec(stdout)?.[0]),
    );
  });
