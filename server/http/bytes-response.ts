const bodies = new WeakMap<Response, Uint8Array<ArrayBuffer>>();

/** A response whose whole body is in memory, which the Node bridge then sends without making it a stream. */
export const bytesResponse = (
  bytes: Uint8Array<ArrayBuffer>,
  init: { status?: number; headers: Headers | Record<string, string> },
): Response => {
  // Bun knows by itself what a body is made of.
  if ("Bun" in globalThis) return new Response(bytes, init);
  const response = new Response(null, init);
  bodies.set(response, bytes);
  return response;
};

/** The bytes of a response that was made by `bytesResponse`. */
export const bytesOf = (response: Response): Uint8Array<ArrayBuffer> | undefined => bodies.get(response);
