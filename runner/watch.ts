import { createHash } from "node:crypto";
import { type FSWatcher, readFileSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { globSync } from "glob";
import type { Clock } from "../core/clock.ts";
import { AppError, errorText, systemCode } from "../core/errors.ts";

const QUIET_MS = 120;
const MOST_PAUSES = 25;
const NEVER = ["**/node_modules/**", "**/.git/**", "**/.nightshift/**"];

type Seen = { stat: string; hash?: string };

/** What the files are now. One that was rewritten with the same content is the same. */
const look = (
  files: readonly string[],
  root: string,
  before: ReadonlyMap<string, Seen>,
): { seen: Map<string, Seen>; isChanged: boolean } => {
  const seen = new Map<string, Seen>();
  let isChanged = false;
  for (const file of files) {
    const path = join(root, file);
    const { mtimeMs, size, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs === undefined) continue;
    const known = before.get(file);
    const stat = `${mtimeMs} ${size} ${ino}`;
    if (known?.stat === stat) {
      seen.set(file, known);
      continue;
    }
    const hash = hashOf(path);
    seen.set(file, hash === undefined ? { stat } : { stat, hash });
    if (hash === undefined || known?.hash !== hash) isChanged = true;
  }
  return { seen, isChanged: isChanged || [...before.keys()].some((file) => !seen.has(file)) };
};

/** Undefined for what went or is not ours to read: it counts as changed. */
const hashOf = (path: string): string | undefined => {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return undefined;
  }
};

/**
 * Watches each folder by itself: what Node 20 offers for a whole tree loses a file on Linux once an editor
 * put another in its place, and cannot leave node_modules out.
 */
class FolderWatchers {
  readonly #root: string;
  readonly #onEvent: () => void;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(root: string, onEvent: () => void) {
    this.#root = root;
    this.#onEvent = onEvent;
  }

  /** Folders come and go. @throws AppError `unavailable` when the system watches no more folders */
  refresh(): void {
    const folders = new Set([".", ...globSync("**/", { cwd: this.#root, dot: true, ignore: NEVER })]);
    for (const [folder, watcher] of this.#watchers)
      if (!folders.has(folder)) {
        watcher.close();
        this.#watchers.delete(folder);
      }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  #watch(folder: string): void {
    const forget = () => {
      this.#watchers.get(folder)?.close();
      this.#watchers.delete(folder);
    };
    try {
      const watcher = watch(join(this.#root, folder), (kind, name) => {
        // The folder itself was replaced by another of its name.
        if (kind === "rename" && name === null) forget();
        this.#onEvent();
      });
      watcher.on("error", forget);
      this.#watchers.set(folder, watcher);
    } catch (error) {
      if (systemCode(error) === "ENOENT" || systemCode(error) === "EACCES") return;
      this.close();
      throw new AppError(
        "unavailable",
        `cannot watch ${join(this.#root, folder)}: ${errorText(error)}; allow more watched folders (sysctl fs.inotify.max_user_watches)`,
        { cause: error },
      );
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}

/**
 * Calls `run` now and again whenever the content of a listed file changes, one call at a time, until the
 * signal aborts. `listFiles` is asked again each time, after the run: files come and go.
 */
export const watchAndRun = async (
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  { root, listFiles, run }: { root: string; listFiles: () => Promise<string[]>; run: () => Promise<void> },
): Promise<void> => {
  let events = 0;
  let wake = (): void => {};
  const watchers = new FolderWatchers(root, () => {
    events += 1;
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    watchers.refresh();
    let { seen } = look(await listFiles(), root, new Map());
    let handled = events;
    while (!signal.aborted) {
      await run();
      for (let isChanged = false; !isChanged && !signal.aborted;) {
        if (events === handled)
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (signal.aborted) resolve();
          });
        // An editor writes a file in several steps, a checkout many files.
        for (let pauses = 0, last = -1; last !== events && pauses < MOST_PAUSES; pauses += 1) {
          last = events;
          await clock.sleep(QUIET_MS, signal);
        }
        handled = events;
        watchers.refresh();
        ({ seen, isChanged } = look(await listFiles(), root, seen));
      }
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    watchers.close();
  }
};
