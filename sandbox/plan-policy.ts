import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { AgentPlaces } from "../agents/agent.ts";
import { isWithin } from "../core/is-within.ts";
import { type Environment, nightshiftHome, realPath, workersHome } from "../core/paths.ts";
import { HIDDEN_IN_HOME, HIDDEN_IN_ROOT } from "./hidden-places.ts";
import { findGitPlaces } from "./git-places.ts";
import type { LimitHolders } from "./limits/holders.ts";
import { followLinks, listProgramFolders } from "./program-folders.ts";
import { createRuleBook, type Policy, type Rule, ruleFor } from "./policy.ts";
import type { SandboxSettings } from "./settings.ts";

export type PolicyInput = {
  /** the user's own environment, whole */
  env: Environment;
  /** real paths */
  home: string;
  dir: string;
  settings: SandboxSettings;
  places: AgentPlaces;
  /** hosts that were found out for this worker, beside `network.allow` */
  hosts: readonly string[];
  /** the folder of Nightshift itself: its hooks run inside */
  packageRoot: string;
  /** folders of programs that must be there wherever they lie */
  programs: readonly string[];
  held: LimitHolders;
  /** folders of the session alone */
  session: { write: readonly string[]; read: readonly string[] };
};

/** What is new in them ends with the session: programs keep there what they can make again. */
const OPEN_IN_HOME = ["", ".config", ".cache", ".local", ".local/share", ".local/state"];

/** What is there, by its real path: rules are about files, and a link leads to one. */
const existing = (paths: Iterable<string>): string[] => [
  ...new Set([...paths].filter((path) => isAbsolute(path) && existsSync(path)).map(realPath)),
];

const listNames = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Unix sockets that are bound to a path now: a read-only mount does not keep anybody from connecting to one. */
const listSockets = (): string[] => {
  try {
    const paths = readFileSync("/proc/net/unix", "utf8")
      .split("\n")
      .flatMap((line) => /^(?:\S+ +){7}(\/.+)$/.exec(line)?.[1] ?? []);
    return [...new Set(paths)].filter((path) => existsSync(path));
  } catch {
    return [];
  }
};

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
};

/** Variables a session gets whose files it cannot do without, wherever they lie. */
const FILE_VARIABLES = [
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
];

/** What of a session sees what: the rules that every backend holds. */
export const planPolicy = (input: PolicyInput): Policy => {
  const { env, home, dir, settings, places } = input;
  const book = createRuleBook();
  const hasHome = home !== "/" && existsSync(home);
  const git = findGitPlaces(dir);
  // A home that is a repository itself (dotfiles) is not given away with the folder in it.
  const tree = git === undefined || isWithin(home, git.top) ? dir : git.top;

  book.add("open", "a private one", ["/tmp", "/var/tmp", "/dev/shm"]);
  book.add("hidden", "sockets and secrets of the machine", existing(HIDDEN_IN_ROOT));
  if (hasHome && !isWithin(home, tree)) for (const rule of openFolders(home)) book.put(rule);
  const secretsInHome = existing(HIDDEN_IN_HOME.map((name) => join(home, name)));
  if (hasHome) book.add("hidden", "what opens other machines, accounts and programs of yours", secretsInHome);

  const ours = [nightshiftHome(env), workersHome(env), env["MEMORY_API_KEY_FILE"], env["XDG_RUNTIME_DIR"]];
  book.add(
    "hidden",
    "secrets of Nightshift, other workers",
    existing(ours.filter((path) => path !== undefined)),
  );
  const show = (why: string, paths: Iterable<string>) => {
    const rules = book.list();
    book.add(
      "read",
      why,
      existing(paths).filter((path) => isCovered(rules, path)),
    );
  };
  const programs = listProgramFolders(input).filter((path) => !isWithin(home, path) && path !== "/");
  const covered = programs.filter((path) => isCovered(book.list(), path));
  show("programs on PATH", programs);
  // What their links lead to is shown in what is private (never all of that), and never where it is hidden.
  const isPrivate = (path: string) => {
    const rule = ruleFor(book.list(), path);
    return rule?.access === "open" && rule.path !== path;
  };
  const linked = covered.flatMap(followLinks).flatMap((ways) => existing(ways).find(isPrivate) ?? []);
  book.add("read", "what programs on PATH lead to", linked);
  const shown = ["trust", "check.mjs"].map((name) => join(nightshiftHome(env), name));
  show("what was agreed to, and the critic", shown);
  show("Nightshift itself", [input.packageRoot]);
  const named = FILE_VARIABLES.map((name) => env[name] ?? "").filter(isAbsolute);
  show("settings that variables name", named);

  for (const folder of places.write) if (isAbsolute(folder)) makeFolder(folder);
  for (const path of places.protect) if (isAbsolute(path)) makeEmpty(path);
  // The home itself has a rule of its own, which holds also in a folder above it.
  const inHome = (paths: Iterable<string>) => existing(paths).filter((path) => path !== home && path !== "/");
  book.add("write", "the agent's own: log-in, sessions, caches", inHome(places.write));
  book.add("read", "what the agent would start the next time", existing(places.protect));
  for (const folder of places.open)
    if (isAbsolute(folder)) {
      makeFolder(folder);
      for (const rule of openFolder(folder)) book.put(rule);
    }
  for (const path of places.copy)
    if (existsSync(path)) book.put({ path, access: "copy", why: "a copy that ends with the session" });

  book.add("write", "a package cache that the config names", inHome(settings.caches));
  book.add("write", "the work tree", [tree]);
  book.add("write", "its repository", git?.write ?? []);
  book.add("read", "what git would run or follow", git?.protect ?? []);
  show("allowRead", settings.allowRead);
  book.add("write", "allowWrite", existing(settings.allowWrite));
  book.add("write", "of this session alone", existing(input.session.write));
  show("of this session alone", input.session.read);
  book.add("hidden", "hide", existing(settings.hide));
  const rules = book.list();
  const isShown = (path: string) => input.session.read.some((folder) => isWithin(path, folder));
  const sockets = listSockets().filter((path) => !isShown(path) && !isOwnSocket(path, rules));
  book.add("hidden", "a socket that somebody listens on", sockets);
  return {
    rules: book.list(),
    network: {
      mode: settings.network.mode,
      allow: [...new Set([...input.hosts, ...settings.network.allow])],
    },
    limits: settings.limits,
    held: input.held,
  };
};

/** Whether a path would not be seen as it is, so that showing it takes a rule. */
const isCovered = (rules: readonly Rule[], path: string): boolean => {
  const rule = ruleFor(rules, path);
  return rule !== undefined && rule.access !== "read" && rule.access !== "write";
};

/** Sockets in what is hidden anyway need no rule; those in what the session owns are its own affair. */
const isOwnSocket = (path: string, rules: readonly Rule[]): boolean => {
  const rule = ruleFor(rules, path);
  return rule !== undefined && ["hidden", "open", "write"].includes(rule.access) && rule.path !== path;
};

const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // A file, or not ours to make: then it is as it is.
  }
};

/** As its agent would find it on a machine where nobody has settled anything yet. */
const makeEmpty = (path: string): void => {
  if (path.endsWith("/")) makeFolder(path);
  else if (!existsSync(path) && existsSync(dirname(path)))
    writeFileSync(path, path.endsWith(".json") ? "{}\n" : "", { mode: 0o600 });
};

/** A folder with each entry as it is; new ones end with the session. */
const openFolder = (folder: string): Rule[] => {
  if (!existsSync(folder) || isLink(folder)) return [];
  const entries = listNames(folder).map((entry): Rule => {
    const path = join(folder, entry);
    return isLink(path)
      ? { path, access: "link", why: "a link", from: readlinkSync(path) }
      : { path, access: "read", why: "as it is" };
  });
  return [{ path: folder, access: "open", why: "what is new in it ends with the session" }, ...entries];
};

/** The home, and the folders in it where programs keep things. */
const openFolders = (home: string): Rule[] =>
  OPEN_IN_HOME.flatMap((name) => openFolder(name === "" ? home : join(home, name)));
