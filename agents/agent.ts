import type { Driver } from "./driver.ts";
import type { SandboxNeeds } from "./sandbox-needs.ts";
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
