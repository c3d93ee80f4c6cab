import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { revokeTrust } from "../../core/config/trust-record.ts";
import { writeFileDurably } from "../../core/durable-file.ts";
import { type Environment, nightshiftHome } from "../../core/paths.ts";
import { type ChildIdentity, findIdentity, isAlive, ownIdentity } from "../../core/process-identity.ts";
import { readFileIfThere } from "../../core/read-file.ts";

/** A folder of one verdict, outside of the project; what it is for goes into `tree`. */
export type Room = { folder: string; tree: string; remove: () => void };

const OWNER = "owner.json";

/** Where the rooms of this user's verdicts are. */
export const roomsFolder = (env: Environment): string => join(nightshiftHome(env), "rooms");

/**
 * Makes an empty room that is known to be ours from its first moment: whoever finds it after our death may
 * remove it.
 */
export const openRoom = (env: Environment): Room => {
  const rooms = roomsFolder(env);
  mkdirSync(rooms, { recursive: true, mode: 0o700 });
  const name = randomBytes(8).toString("hex");
  const making = join(rooms, `.${process.pid}.${name}`);
  mkdirSync(making, { mode: 0o700 });
  writeFileDurably(join(making, OWNER), JSON.stringify(ownIdentity()), { mode: 0o600 });
  const folder = join(rooms, name);
  renameSync(making, folder);
  return { folder, tree: join(folder, "tree"), remove: () => removeRoom(env, folder) };
};

const removeRoom = (env: Environment, folder: string): void => {
  const tree = join(folder, "tree");
  if (existsSync(tree)) revokeTrust(env, tree);
  removeFolder(folder);
};

/** Some tools make folders read-only (Go's module cache); they go all the same. */
const removeFolder = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    openUp(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  }
};

const openUp = (folder: string): void => {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) openUp(join(folder, entry.name));
};

const isLeft = (rooms: string, name: string): boolean => {
  const making = /^\.(\d+)\./.exec(name)?.[1];
  if (making !== undefined) return findIdentity(Number(making)) === undefined;
  const owner = readFileIfThere(join(rooms, name, OWNER));
  try {
    return owner !== undefined && !isAlive(JSON.parse(owner) as ChildIdentity);
  } catch {
    return false;
  }
};

/** Removes the rooms that verdicts left which were killed; returns how many. */
export const sweepRooms = (env: Environment): number => {
  const rooms = roomsFolder(env);
  const left = existsSync(rooms) ? readdirSync(rooms).filter((name) => isLeft(rooms, name)) : [];
  for (const name of left) removeRoom(env, join(rooms, name));
  return left.length;
};
