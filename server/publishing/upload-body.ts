import { AppError } from "../../core/errors.ts";

/** How slow an upload may be: how long it may say nothing, and how long all of it may take. */
export type UploadPace = { idleMs: number; startMs: number; minBytesPerSecond: number };

export const UPLOAD_PACE: UploadPace = { idleMs: 20_000, startMs: 30_000, minBytesPerSecond: 16 * 1024 };

const tooSlow = (): AppError =>
  new AppError("timeout", "The upload is too slow or has stopped; send it again, what was complete is kept");

/** Whoever sent it is gone, mostly: a closed tab is no failure of ours. */
const cutOff = (error: unknown): never => {
  if (error instanceof AppError) throw error;
  throw new AppError("usage", "The upload was cut off before its end; send it again", { cause: error });
};

const within = async <T>(work: Promise<T>, ms: number): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(tooSlow()), Math.max(0, ms));
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * The body of an upload as chunks, given up when it stalls or falls below the least rate, so that nobody
 * holds a place and a temporary file for ever. A client that goes away ends it with an error, too.
 */
export const readUpload = async function* (
  body: ReadableStream<Uint8Array> | null,
  size: number,
  pace: UploadPace = UPLOAD_PACE,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const deadline = performance.now() + pace.startMs + (size / pace.minBytesPerSecond) * 1000;
  let finished = false;
  try {
    for (;;) {
      const left = Math.min(pace.idleMs, deadline - performance.now());
      const { done, value } = await within(reader.read().catch(cutOff), left);
      if (done) break;
      yield value;
    }
    finished = true;
  } finally {
    if (!finished) await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
};
