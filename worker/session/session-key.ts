import { hostName } from "../../core/host-name.ts";
import type { Environment } from "../../core/paths.ts";
import { inPath } from "../../client/server-client.ts";
import { type MemoryPorts, type MemorySettings, tryMemory } from "./memory-client.ts";

/** A key of one session's own: it writes and reads what is shared, and ends with the session. */
export type SessionKey = { key: string; end: () => Promise<void> };

/**
 * Makes the key with which a session in a sandbox stores what it learns. What a crash left of its worker is
 * revoked first. Undefined, with the problem told, where the memory gives none: then the session goes without.
 */
export const makeSessionKey = async (
  ports: MemoryPorts,
  settings: MemorySettings,
  { worker, env, onProblem }: { worker: string; env: Environment; onProblem: (problem: string) => void },
): Promise<SessionKey | undefined> => {
  const writer = `worker-${worker}@${hostName(env)}`.replaceAll(/[^\w.@-]/g, "-").slice(0, 100);
  const revoke = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids)
      await tryMemory(ports, settings, (client, options) =>
        client.keys({ id: inPath(id) }).delete(undefined, options),
      );
  };
  const known = await tryMemory(
    ports,
    settings,
    (client, options) => client.keys.get(options),
    ({ keys }) => keys.filter((key) => key.writer === writer).map(({ id }) => id),
  );
  await revoke(known.answer ?? []);
  const made = await tryMemory(ports, settings, (client, options) => client.keys.post({ writer }, options));
  if (!made.answer) {
    onProblem(`the session cannot write to the memory: ${made.problem}`);
    return undefined;
  }
  const { id, key } = made.answer;
  return { key, end: () => revoke([id]) };
};
