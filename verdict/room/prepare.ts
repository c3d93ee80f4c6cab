import { createHash, randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type ChildResult, runChild } from "../../core/child-process.ts";
import type { Confinement } from "../../core/confinement.ts";
import { type Environment, nightshiftHome } from "../../core/paths.ts";
import { type MarkedFolder, linkDependencies, markFolder } from "./dependencies.ts";
import { type Installer, cacheEnvironment, findInstallers, storeEnvironment } from "./installers.ts";

type PreparePorts = {
  env: Readonly<Record<string, string | undefined>>;
  /** where commands run; on the open machine without one */
  confinement: Confinement | undefined;
  signal: AbortSignal;
};

export type PrepareInput = {
  /** checkout that is to be made ready */
  tree: string;
  /** the project's own folder */
  top: string;
  /** folder within both in which the gates run */
  prefix: string;
  command: string | undefined;
  /** installed packages as they were before the agent came */
  folders: readonly MarkedFolder[];
  timeoutMs: number;
};

export type Prepared = {
  problem?: string;
  how: string[];
  /** what the gates are given besides, so that they find what was downloaded */
  env: Record<string, string>;
};

/** Where installed packages are kept for the next room, by what their lock file says. */
export const preparedFolder = (env: Environment): string => join(nightshiftHome(env), "prepared");

/**
 * Makes a checkout ready for its gates: the command of the config, else what its lock files name. Packages that
 * lie in the project untouched since before the agent came are linked; others are installed once for each content
 * of a lock file.
 */
export const prepareTree = async (ports: PreparePorts, input: PrepareInput): Promise<Prepared> => {
  const how: string[] = [];
  const folder = join(input.tree, input.prefix);
  const downloads = join(dirname(input.tree), "caches");
  const caches = ports.confinement ? cacheEnvironment(downloads) : {};
  const stores = ports.confinement ? storeEnvironment(downloads) : {};
  if (input.command !== undefined) {
    const own = { ...ports, env: { ...ports.env, ...caches } };
    const result = await runShell(own, input.command, { cwd: folder, timeoutMs: input.timeoutMs });
    how.push(input.command);
    const problem = result.isOk ? {} : { problem: `\`${input.command}\` failed: ${lastWords(result)}` };
    return { how, env: caches, ...problem };
  }
  let env: Record<string, string> = {};
  const linked = await linkUntouched(input);
  if (linked.length > 0) how.push(`linked, untouched since the start: ${linked.join(", ")}`);
  const places = [...new Set([input.tree, folder])];
  for (const place of places)
    for (const installer of findInstallers(place)) {
      const isThere = installer.folders.some((name) => existsSync(join(place, name)));
      if (isThere) continue;
      const done = await install(ports, {
        installer,
        place,
        caches: { ...caches, ...stores },
        isUsed: installer.folders.some((name) => {
          const path = join(relative(input.tree, place), name);
          return existsSync(join(input.top, path)) || input.folders.some((each) => each.path === path);
        }),
        timeoutMs: input.timeoutMs,
      });
      how.push(done.how);
      env = { ...env, ...done.env };
      if (done.problem !== undefined) return { how, env, problem: done.problem };
    }
  return { how, env };
};

/** Packages that nobody touched, where the lock file that names them says what it did in the project. */
const linkUntouched = async ({ tree, top, folders }: PrepareInput): Promise<string[]> => {
  const linked: string[] = [];
  for (const { path, mark } of folders) {
    const place = dirname(path);
    if (!existsSync(join(tree, place)) || !isSameLock(join(top, place), join(tree, place))) continue;
    const from = join(top, path);
    if (!existsSync(from) || (await markFolder(from)) !== mark) continue;
    await linkDependencies(from, join(tree, path));
    linked.push(path);
  }
  // `.venv/` in a .gitignore is no link.
  const exclude = linked.map((path) => `/${path}\n`).join("");
  mkdirSync(join(tree, ".git", "info"), { recursive: true });
  writeFileSync(join(tree, ".git", "info", "exclude"), exclude);
  return linked;
};

/** The packages of the project stem from the lock file there: it has to be the one that is judged. */
const isSameLock = (there: string, here: string): boolean =>
  [...findInstallers(here), ...findInstallers(there)].every(
    ({ lock }) =>
      existsSync(join(there, lock)) &&
      existsSync(join(here, lock)) &&
      readFileSync(join(there, lock)).equals(readFileSync(join(here, lock))),
  );

const MANIFESTS = [
  "package.json",
  ".npmrc",
  "pnpm-workspace.yaml",
  ".yarnrc.yml",
  "bunfig.toml",
  "pyproject.toml",
];

type Installation = {
  installer: Installer;
  place: string;
  /** for what is downloaded */
  caches: Record<string, string>;
  /** the project has, or had at the start, what it installs */
  isUsed: boolean;
  timeoutMs: number;
};
/** What a shell ends with where there is no such program. */
const NOT_FOUND = 127;

type Installed = { how: string; env?: Record<string, string>; problem?: string };

const install = async (
  ports: PreparePorts,
  { installer, place, caches, isUsed, timeoutMs }: Installation,
): Promise<Installed> => {
  const [name] = installer.folders;
  const kept =
    name === undefined ? undefined : join(preparedFolder(ports.env), digestOf(installer, place), name);
  if (kept !== undefined && name !== undefined && existsSync(kept)) {
    await linkDependencies(kept, join(place, name));
    return { how: `kept from before for this ${installer.lock}` };
  }
  const first = installer.title ?? installer.commands[0] ?? "";
  let last: ChildResult | undefined;
  for (const command of installer.commands) {
    const env = command === installer.commands.at(-1) ? caches : {};
    last = await runShell({ ...ports, env: { ...ports.env, ...env } }, command, { cwd: place, timeoutMs });
    if (last.isAborted || last.isTimedOut) break;
    if (!last.isOk) continue;
    if (kept !== undefined && name !== undefined) await keep(join(place, name), kept);
    return { how: command === installer.commands[0] ? first : command, env };
  }
  // Where nobody has the installer, and nothing was installed, the project's own gates go without, too.
  if (last?.exitCode === NOT_FOUND && name !== undefined && !isUsed)
    return {
      how: `nothing for ${installer.lock}: its installer is not here, and the project has no ${name}`,
    };
  return {
    how: first,
    problem: `\`${first}\` failed, also with the network: ${last ? lastWords(last) : ""}`,
  };
};

/** What decides which packages are installed, and for which runtime. */
const digestOf = ({ lock }: Installer, place: string): string => {
  const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch}`);
  for (const file of [lock, ...MANIFESTS]) {
    const path = join(place, file);
    if (existsSync(path)) hash.update(`\0${file}\0`).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 32);
};

/** Whole or not at all: copied beside, then renamed. Workspaces link into the checkout, and are not kept. */
const keep = async (from: string, to: string): Promise<void> => {
  if (!existsSync(from)) return;
  const beside = `${dirname(to)}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    mkdirSync(beside, { recursive: true, mode: 0o700 });
    cpSync(from, join(beside, relative(dirname(to), to)), { recursive: true, verbatimSymlinks: true });
    renameSync(beside, dirname(to));
  } catch {
    rmSync(beside, { recursive: true, force: true }); // somebody else was faster, or there is no room for it
  }
};

const runShell = (
  { env, confinement, signal }: PreparePorts,
  command: string,
  { cwd, timeoutMs }: { cwd: string; timeoutMs: number },
): Promise<ChildResult> =>
  runChild({ command: "/bin/sh", args: ["-c", command], cwd, env, timeoutMs, signal, confinement });

const lastWords = ({ stdout, stderr, problem }: ChildResult): string =>
  [stderr, stdout].map((text) => text.trim().split("\n").slice(-3).join("; ")).find((text) => text !== "") ??
  problem ??
  "";
