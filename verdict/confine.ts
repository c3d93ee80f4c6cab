import { realpathSync } from "node:fs";
import type { Confinement } from "../core/confinement.ts";
import { preparedFolder } from "./room/prepare.ts";

/** What code of the judged commit may touch while it runs. */
export type ConfinedPlaces = {
  /** the checkout that it works in */
  dir: string;
  write: readonly string[];
  read: readonly string[];
};

/** Where code of the judged commit runs, and what it is given. */
export type Confined = { env: Readonly<Record<string, string>>; confinement: Confinement | undefined };

/** How code of the judged commit is kept from the rest of the machine. */
export type Confine = {
  /** kind of the sandbox, for the receipt */
  kind: string;
  open: (places: ConfinedPlaces) => Promise<{
    env: Readonly<Record<string, string>>;
    confinement: Confinement;
    close: () => Promise<void>;
  }>;
};

/** Does something with what runs the commit's code, in a sandbox where this verdict has one. */
export const withConfined = async <Result>(
  { confine, env }: { confine?: Confine | undefined; env: Confined["env"] },
  places: ConfinedPlaces,
  act: (confined: Confined) => Promise<Result>,
): Promise<Result> => {
  if (!confine) return act({ env, confinement: undefined });
  const held = await confine.open({ ...places, dir: realpathSync(places.dir) });
  try {
    return await act(held);
  } finally {
    await held.close();
  }
};

/** What a room needs to see: packages and objects are links to where they lie. */
export const roomPlaces = (
  env: Confined["env"],
  { folder, tree, top, objects }: { folder: string; tree: string; top: string; objects: string },
): ConfinedPlaces => ({ dir: tree, write: [folder], read: [top, objects, preparedFolder(env)] });
