import { type Ask, type DataOf, type Reply, tryServer } from "../../client/server-client.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { readMemoryKey } from "./memory-key.ts";

export type MemoryPorts = { fetch: typeof fetch };

/** Where the memory service is, and the file of its key. */
export type MemorySettings = { url: string; keyFile: string };

export type MemoryAnswer =
  | { status: "ok"; text: string; receipt: string | undefined; count: number }
  | { status: "unavailable"; problem: string };

const TIMEOUT_MS = 2_000;
const LIMIT = 5;

/** One `POST /inject` for a session; a service that is away, slow or broken is said, never fatal. */
export const askMemory = async (
  { fetch }: MemoryPorts,
  { url, keyFile }: MemorySettings,
  context: string,
): Promise<MemoryAnswer> => {
  const ask = (readKey: () => string | undefined) =>
    tryServer(
      { url, fetch, timeoutMs: TIMEOUT_MS, readKey },
      (client, options) => client.inject.post({ context, format: "prompt", limit: LIMIT }, options),
      ({ prompt, injection, receipt, learnings }) => ({
        status: "ok" as const,
        text: prompt ?? (typeof injection === "string" ? injection : ""),
        receipt,
        count: learnings.length,
      }),
    );
  const first = await ask(() => undefined);
  // Off this machine, and behind a proxy, a server wants to know who reads.
  const asked = first.status === 401 ? await ask(() => readFileIfThere(keyFile)?.trim()) : first;
  return asked.answer ?? { status: "unavailable", problem: asked.problem };
};

/** One request with the key of the service; the answer, or what went wrong in words. */
export const tryMemory = <R extends Reply, T = DataOf<R>>(
  { fetch }: MemoryPorts,
  { url, keyFile }: MemorySettings,
  ask: Ask<R>,
  read?: (answer: DataOf<R>) => T,
) => tryServer({ url, fetch, timeoutMs: TIMEOUT_MS, readKey: () => readMemoryKey(keyFile) }, ask, read);
