import { type Case, leftMs } from "./case.ts";
import type { Confined } from "./confine.ts";
import { type Prepared, prepareTree } from "./room/prepare.ts";

/** Makes a checkout of the verdict ready for its gates, as the seal says how. */
export const prepareRoom = (it: Case, tree: string, confined: Confined): Promise<Prepared> => {
  const { settings, folders } = it.input.seal;
  const where = { tree, ...it.place, command: settings.prepare, folders, timeoutMs: leftMs(it) };
  return prepareTree({ ...confined, signal: it.ports.signal }, where);
};
