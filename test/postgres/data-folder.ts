import { createHash, randomBytes } from "node:crypto";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { glob } from "glob";
import { runChild } from "../../core/child-process.ts";
import { systemCode } from "../../core/errors.ts";
import { asServerUser, postgresVersion, serverUser } from "./find-postgres.ts";

const CACHE = resolve(import.meta.dirname, "../../node_modules/.cache/nightshift-postgres");

export const SUPERUSER = "nightshift";

/** English collation, as many installations have it: a text that must sort by bytes has to say so. */
const initArguments = (version: string): string[] => {
  const major = Number(/(\d+)\./.exec(version)?.[1] ?? 0);
  const collation = major >= 15 ? ["--locale-provider=icu", "--icu-locale=en"] : [];
  return [
    "--no-sync",
    "--auth=password",
    `--username=${SUPERUSER}`,
    "--encoding=UTF8",
    "--locale=C.UTF-8",
    ...collation,
  ];
};

/** A new folder in the system's temporary one that the server's user may write. */
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-postgres-"));
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
};

const initialize = async (bin: string, args: readonly string[], target: string): Promise<void> => {
  const folder = newFolder();
  try {
    const password = randomBytes(16).toString("hex");
    await writeFile(join(folder, "password"), password, { mode: 0o644 });
    const [command, rest] = asServerUser(join(bin, "initdb"), [
      ...args,
      `--pwfile=${join(folder, "password")}`,
      "-D",
      join(folder, "data"),
    ]);
    const result = await runChild({ command, args: rest, cwd: folder, env: { PATH: process.env["PATH"] } });
    if (!result.isOk) throw new Error(`initdb failed: ${result.problem}\n${result.stderr}`);
    const fresh = `${target}.${process.pid}-${randomBytes(4).toString("hex")}`;
    mkdirSync(CACHE, { recursive: true });
    cpSync(folder, fresh, { recursive: true });
    // Another test file may have been quicker; theirs is as good.
    await rename(fresh, target).catch(async (error: unknown) => {
      await rm(fresh, { recursive: true, force: true });
      if (!["ENOTEMPTY", "EEXIST"].includes(systemCode(error) ?? "")) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * A new data folder. `initdb` takes a second, so its result is kept beside the installed packages and
 * copied, which takes a tenth of one.
 */
export const createDataFolder = async (
  bin: string,
  parent: string | undefined,
): Promise<{ folder: string; data: string; password: string }> => {
  const version = postgresVersion(bin);
  const args = initArguments(version);
  const key = createHash("sha256")
    .update(JSON.stringify([version, args]))
    .digest("hex")
    .slice(0, 16);
  const template = join(CACHE, key);
  if (!existsSync(template)) await initialize(bin, args, template);
  const folder = parent ?? newFolder();
  const data = join(folder, "data");
  cpSync(join(template, "data"), data, { recursive: true });
  const user = serverUser();
  if (user)
    for (const path of [folder, ...(await glob(`${data}/**`, { dot: true }))])
      chownSync(path, user.uid, user.gid);
  return { folder, data, password: readFileSync(join(template, "password"), "utf8") };
};
