/** The whole body as bytes, or undefined as soon as it is longer than `maxBytes`: the rest is never read. */
export const readBounded = async (
  message: Request | Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  if (Number(message.headers.get("content-length") ?? 0) > maxBytes) {
    await message.body?.cancel();
    return undefined;
  }
  const reader = message.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return join(chunks, size);
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
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
