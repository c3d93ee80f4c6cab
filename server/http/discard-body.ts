/** How much of a refused body is read and thrown away before its answer, and how long its sender may pause or take. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_PAUSE_MS = 250;
const MAX_MS = 3000;

const PAUSED = { done: true } as const;

/**
 * Reads a body to its end for nobody. With the answer a connection is closed on which bytes are still coming;
 * that resets it, and a sender who writes before it reads never sees the answer.
 */
export const discard = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  const endsAt = performance.now() + MAX_MS;
  try {
    for (let bytes = 0; bytes < MAX_BYTES && performance.now() < endsAt;) {
      const part = await orPaused(reader.read());
      if (part.done) break;
      bytes += part.value.byteLength;
    }
    reader.cancel().catch(() => {});
  } catch {
    // The sender has gone: there is nobody left to answer.
  }
};

const orPaused = async <T>(reading: Promise<T>): Promise<T | typeof PAUSED> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const paused = new Promise<typeof PAUSED>((resolve) => {
    timer = setTimeout(() => resolve(PAUSED), MAX_PAUSE_MS);
  });
  try {
    return await Promise.race([reading, paused]);
  } finally {
    clearTimeout(timer);
  }
};

/** Discards the body of a request that was answered without it; one that waits for "100 Continue" sends none. */
export const discardUnread = async (request: Request): Promise<void> => {
  if (request.method === "GET" || request.method === "HEAD" || request.bodyUsed) return;
  if (request.headers.has("expect") || request.body === null || request.body.locked) return;
  await discard(request.body.getReader());
};
