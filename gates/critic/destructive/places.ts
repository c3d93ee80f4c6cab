import { posix } from "node:path";
import { OWN_TEMP, type Places, UNKNOWN } from "./call.ts";

/** A path as the command means it, absolute and without `..`; a glob stays as it is written. */
export const placeOf = (path: string, { dir, home }: Places): string => {
  const tilde = path.replace(/^~(?=\/|$)/, home).replace(/^~\w+/, "/home/another");
  return posix.resolve(dir, tilde).replace(/(.)\/$/, "$1");
};

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

const TEMPORARY = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/dev/shm", OWN_TEMP];

/** Whether a name stands for whatever there is. */
const isWhole = (name: string): boolean => /^[*?.{},[\]!]+$/.test(name) && name !== "..";

/** Below a temporary folder, not all that others have there, and not the tree itself where that lies in one. */
export const isTemporary = (path: string, { tree }: Places): boolean =>
  path !== tree &&
  !isBelow(path, tree) &&
  TEMPORARY.some(
    (folder) => isBelow(path, folder) && !isWhole(posix.relative(folder, path).split("/")[0] ?? ""),
  );

const unknownTail = new RegExp(`${UNKNOWN}/*[*.]*$`);

/**
 * What would be lost when this path is deleted with all below it: `outside` the tree, the `tree` itself, or `none`
 * worth speaking of. A variable that nobody set makes `$DIR/*` the root; alone it deletes nothing.
 */
export const lossAt = (path: string, places: Places): "outside" | "tree" | "none" => {
  if (path.includes(UNKNOWN)) {
    if (!path.startsWith(UNKNOWN))
      return lossAt(path.slice(0, path.indexOf(UNKNOWN)) || ".", places) === "outside" &&
        !isTemporary(placeOf(path, places), places)
        ? "outside"
        : "none";
    return path.length > 1 && unknownTail.test(path) && path !== UNKNOWN ? "outside" : "none";
  }
  const place = placeOf(path, places);
  if (isTemporary(place, places)) return "none";
  if (place === places.tree) return "tree";
  if (!isBelow(place, places.tree)) return "outside";
  const [first = "", ...rest] = posix.relative(places.tree, place).split("/");
  if (first === ".git" && (rest.length === 0 || isWhole(rest[0] ?? ""))) return "tree";
  return rest.length === 0 && isWhole(first) ? "tree" : "none";
};

/** A device that holds a file system, and none that swallows or makes bytes. */
export const isDisk = (path: string): boolean =>
  /^\/dev\/(?:r?disk|sd|hd|vd|xvd|nvme|mmcblk|md|dm-|mapper\/|loop|sr|nbd|zvol)/.test(path) ||
  /^\\\\\.\\PhysicalDrive/i.test(path);

const SYSTEM =
  /^\/(?:bin|boot|dev|etc|lib\w*|opt|proc|root|sbin|srv|sys|System|usr|var|Library|Applications)(?:\/|$)/;
const CREDENTIALS = /\/\.(?:ssh|aws|gnupg|kube|docker|config|password-store|claude|codex)(?:\/|$)/;

/** What a system or a person cannot do without, one file of it is enough. */
export const isVital = (path: string, places: Places): boolean => {
  const place = placeOf(path, places);
  if (isTemporary(place, places) || isBelow(place, places.tree)) return false;
  return SYSTEM.test(place) || (isBelow(place, places.home) && CREDENTIALS.test(place));
};

/** Git's own files: what it runs, and what it is told. */
export const isGitSetting = (path: string, places: Places): boolean => {
  const place = placeOf(path, places);
  return (
    !isTemporary(place, places) &&
    (/\/\.git\/(?:hooks|config)(?:\/|$)/.test(place) || /\/\.gitconfig$|\/\.config\/git\//.test(place))
  );
};
