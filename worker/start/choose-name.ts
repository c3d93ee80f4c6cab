import { WORKER_NAME } from "../../core/config/config-schema.ts";
import { AppError } from "../../core/errors.ts";
import { TAKEN_NAMES, shortName } from "../state/worker-names.ts";
import { folderName, placeOf } from "../state/worker-place.ts";
import { findState } from "../state/worker-store.ts";

/** @throws AppError `usage` when the name could not be a file name */
export const checkWorkerName = (name: string): string => {
  const parts = name.split("/");
  if (parts.length <= 2 && parts.every((part) => new RegExp(WORKER_NAME).test(part))) return name;
  throw new AppError(
    "usage",
    `worker name ${JSON.stringify(name)} is not valid: use letters, digits, ".", "_" and "-", at most 64 characters, starting with a letter or digit`,
  );
};

const placeIn = (home: string, name: string): string | undefined => {
  const state = findState(home, name);
  return state && placeOf(state);
};

/**
 * The name under which a worker of a place is started: the one that was asked for, unless another directory has
 * it; then `<folder>/<name>`. A record of another directory is never replaced.
 * @throws AppError `usage` for a name that cannot be used here
 */
export const chooseName = (home: string, { name, place }: { name: string; place: string }): string => {
  checkWorkerName(name);
  const short = shortName(name);
  const folder = folderName(place);
  const isFree = (full: string) => [undefined, place].includes(placeIn(home, full));
  const isGivenFull = name !== short;
  if (isFree(name) && (!isGivenFull || name.startsWith(`${folder}/`) || placeIn(home, name) === place))
    return name;
  if (isGivenFull)
    throw new AppError(
      "usage",
      `worker name ${name} is one of the folder ${name.split("/")[0]}; in ${place} it would be ${folder}/${short}`,
    );
  const taken = placeIn(home, short) ?? place;
  if (TAKEN_NAMES.includes(short))
    throw new AppError("usage", `${short} is the worker of ${taken}; choose another name for this one`);
  // The plain one answers to its own folder's name, too.
  const isItsName = (full: string) => full === `${folderName(taken)}/${short}`;
  for (let number = 1; ; number++) {
    const full = `${folder}${number === 1 ? "" : `-${number}`}/${short}`;
    if (isFree(full) && !isItsName(full)) return full;
  }
};
