/** How much of a call that is too large is read and thrown away, and how long its sender may pause or take. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
const MAX_PAUSE_MS = 250;
const MAX_DISCARD_MS = 3000;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

type Message = Pick<Request, "headers" | "body">;

/**
 * The whole body as bytes, or undefined when it is longer than `maxBytes`: then no more than that is kept, and
 * `end` says what becomes of the rest.
 */
export const readBounded = async (
  message: Message,
  maxBytes: number,
  end: (reader: Reader) => Promise<undefined>,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const reader = message.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (Number(message.headers.get("content-length") ?? 0) > maxBytes) return end(reader);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return join(chunks, size);
    size += value.byteLength;
    if (size > maxBytes) return end(reader);
    chunks.push(value);
  }
};

/** For an answer: whoever sends it stops. */
export const cancel = async (reader: Reader): Promise<undefined> => {
  await reader.cancel();
  return undefined;
};

/**
 * For a call: reads on for nobody. To cancel a request's body is to break its connection off on many servers, and whoever
 * sends before they read would never see the answer.
 */
export const discard = async (reader: Reader): Promise<undefined> => {
  const endsAt = Date.now() + MAX_DISCARD_MS;
  try {
    for (let bytes = 0; bytes < MAX_DISCARDED_BYTES && Date.now() < endsAt;) {
      const part = await orPaused(reader.read());
      if (part === undefined || part.done) break;
      bytes += part.value.byteLength;
    }
  } catch {
    // Its sender has gone, or the server has cut it: either way it was too large.
  }
  return undefined;
};

const orPaused = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const paused = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, MAX_PAUSE_MS, undefined);
  });
  try {
    return await Promise.race([reading, paused]);
  } finally {
    clearTimeout(timer);
  }
};

const join = (chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
};
