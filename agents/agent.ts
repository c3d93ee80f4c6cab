import { join } from "node:path";
import type { Environment } from "../core/paths.ts";
import type { AgentSettings, Driver } from "./driver.ts";
import type { SourceLister, Store } from "./store.ts";

/**
 * What every agent declares, in `agents/<id>/agent.ts`. A part that it does not have is `undefined`, said
 * aloud, so that the compiler names what a new agent has left out. The parts are loaded when they are asked
 * for: commands must start fast.
 */
export type Agent = {
  /** the program on PATH; what `worker start` without `--agent`, `init` and `doctor` look for */
  program: string | undefined;
  /** versions of the real program that the tests run, oldest first; undefined where they run none */
  testedVersions: readonly string[] | undefined;
  /** where its log-in is looked for: environment variables, files below the home; never read */
  credentials: { variables: readonly string[]; files: readonly string[] } | undefined;
  /** what it needs inside of a sandbox; undefined where its work is done by a server that was there before */
  sandbox: SandboxNeeds | undefined;
  driver: () => Promise<Driver>;
  /** reads and edits its conversations */
  store: (() => Promise<Store>) | undefined;
  /** lists its conversations without opening them; apart from the store, because every search begins with it */
  sources: (() => Promise<SourceLister>) | undefined;
};

/** Places of an agent, as absolute paths. What is not there is passed over. */
export type AgentPlaces = {
  /** its log-in, its sessions, its caches: it goes on writing there; made where they are missing */
  write: readonly string[];
  /**
   * What in them starts programs or gives orders the next time somebody runs it: only read, and made empty where it
   * is missing, so that nobody else makes it. Folders end with `/`.
   */
  protect: readonly string[];
  /** folders of such things that it cannot do without writing in: what is new in them ends with the session */
  open: readonly string[];
  /** files that a session gets a copy of, which ends with it: it must write them, and they start programs, too */
  copy: readonly string[];
  /** settings in which the user may have named another address of the model */
  settings: readonly string[];
};

export type PlaceInput = { env: Environment; home: string; dir: string; settings: AgentSettings };

/** What an agent needs of the machine to log in, to work and to resume. */
export type SandboxNeeds = {
  /** hosts of its model and of its log-in; `*.` for all below one */
  hosts: readonly string[];
  /** variables that are its own: names, or beginnings of names that end with `*` */
  variables: readonly string[];
  /** it is spoken to over a port that it opens on its own loopback */
  isServer?: boolean;
  places: (input: PlaceInput) => AgentPlaces;
};

export const NO_PLACES: AgentPlaces = { write: [], protect: [], open: [], copy: [], settings: [] };

/** The places of an agent that keeps everything in one folder. */
export const placesIn = (
  root: string,
  { protect, settings }: { protect: readonly string[]; settings: string },
): AgentPlaces => ({
  ...NO_PLACES,
  write: [root],
  protect: protect.map((name) => join(root, name)),
  settings: [join(root, settings)],
});

/** Of an agent that the config declares, only the config knows which program it is and what it needs. */
export const DECLARED = {
  program: undefined,
  testedVersions: undefined,
  credentials: undefined,
  sandbox: undefined,
  store: undefined,
  sources: undefined,
} satisfies Partial<Agent>;
