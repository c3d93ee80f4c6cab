import type { Socket } from "node:net";

/**
 * Passes bytes both ways until both sides are done. A side that has said its last word may go on listening; a side
 * that broke takes the other one along. What `first` resolves with goes ahead of what the client says from then on;
 * undefined ends it all. The other way is open at once, for protocols in which the server speaks first.
 */
export const joinSockets = async (
  client: Socket,
  upstream: Socket,
  { idleMs, first }: { idleMs: number; first: () => Promise<Uint8Array | undefined> },
): Promise<void> => {
  const endBoth = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const side of [client, upstream]) side.on("error", endBoth);
  client.on("close", () => upstream.destroy());
  // Its last bytes may still be on their way to the client, which the pipe ends after them.
  upstream.on("close", (isBroken: boolean) => {
    if (isBroken) client.destroy();
  });
  client.setTimeout(idleMs, endBoth);
  upstream.pipe(client);
  const begun = await first();
  if (begun === undefined) return endBoth();
  if (begun.length > 0) upstream.write(begun);
  client.pipe(upstream);
};
