import { hostName } from "../../core/host-name.ts";
import type { Environment } from "../../core/paths.ts";
import { callMemory, type MemoryPorts, type MemorySettings } from "./memory-client.ts";

/** A key of one session's own: it writes and reads what is shared, and ends with the session. */
export type SessionKey = { key: string; end: () => Promise<void> };

type Key = { id: string; writer: string; key?: string };

const idsOf = (answer: unknown, writer: string): string[] =>
  ((answer as { keys?: Key[] } | undefined)?.keys ?? [])
    .filter((key) => key.writer === writer)
    .map(({ id }) => id);

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
    for (const id of ids) await callMemory(ports, settings, { method: "DELETE", path: `keys/${id}` });
  };
  const known = await callMemory(ports, settings, { method: "GET", path: "keys" });
  await revoke(idsOf(known.answer, writer));
  const made = await callMemory(ports, settings, { method: "POST", path: "keys", body: { writer } });
  const { id, key } = (made.answer ?? {}) as Partial<Key>;
  if (id === undefined || key === undefined) {
    onProblem(`the session can store nothing in the memory: ${made.problem ?? "no key was made"}`);
    return undefined;
  }
  return { key, end: () => revoke([id]) };
};
