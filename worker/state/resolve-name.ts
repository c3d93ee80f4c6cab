import { findProjectRoot } from "../../core/config/find-config.ts";
import { AppError } from "../../core/errors.ts";
import { isWithin } from "../../core/is-within.ts";
import { listNames, shortName } from "./worker-names.ts";
import { folderName, placeOf } from "./worker-place.ts";
import type { WorkerState } from "./worker-state.ts";
import { type ListedWorker, findState, getWorker, noWorker } from "./worker-store.ts";

type Candidate = { name: string; state: WorkerState | undefined };

/** One whose file is damaged has no place; the command names the damage. */
const load = (home: string, name: string): Candidate => {
  try {
    return { name, state: findState(home, name) };
  } catch {
    return { name, state: undefined };
  }
};

/** A name that is this worker's alone: a plain one is said with its folder, too. */
const fullName = ({ name, state }: Candidate): string =>
  name.includes("/") || !state ? name : `${folderName(placeOf(state))}/${name}`;

/** The one that somebody who stands in a folder means: whose directory they are in, else the only one of their project. */
const findOwn = (candidates: readonly Candidate[], cwd: string): Candidate | undefined => {
  const around = candidates.filter(
    ({ state }) => state && (isWithin(cwd, placeOf(state)) || isWithin(cwd, state.dir)),
  );
  const length = ({ state }: Candidate) => (state ? placeOf(state).length : 0);
  const nearest = around.toSorted((a, b) => length(b) - length(a))[0];
  if (nearest) return nearest;
  const root = findProjectRoot(cwd);
  const inside = candidates.filter(({ state }) => state && isWithin(placeOf(state), root));
  return inside.length === 1 ? inside[0] : undefined;
};

/**
 * The worker that is meant by a name on the command line: the name itself; a short name, where one worker has it or
 * one of the directory stood in; `<folder>/<name>` also for one that goes by its plain name.
 * @throws AppError `usage` that names all that are called so, `not-found` that names the nearest one
 */
export const resolveName = ({ home, cwd }: { home: string; cwd: string }, given: string): string => {
  const names = listNames(home);
  const called = names.filter((name) => shortName(name) === shortName(given));
  if (given.includes("/")) {
    if (called.includes(given)) return given;
    const plain = called.map((name) => load(home, name)).find((one) => fullName(one) === given);
    if (plain) return plain.name;
    throw noWorker(given, names);
  }
  const [only] = called;
  if (only === undefined) throw noWorker(given, names);
  if (called.length === 1) return only;
  const candidates = called.map((name) => load(home, name));
  const own = findOwn(candidates, cwd);
  if (own) return own.name;
  const list = candidates.map((one) => `${fullName(one)} (${one.state ? placeOf(one.state) : "damaged"})`);
  throw new AppError(
    "usage",
    `${called.length} workers are called ${given}: ${list.join(", ")}; name one in full`,
  );
};

/** The worker that is meant by a name on the command line. @throws AppError as `resolveName` */
export const getNamedWorker = (place: { home: string; cwd: string }, given: string): ListedWorker =>
  getWorker(place.home, resolveName(place, given));
