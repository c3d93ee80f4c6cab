import type { Socket } from "node:net";

/** Thrown when a client says too much, too little or nothing. */
export class BadIntake extends Error {}

/** The first bytes of a connection, read piece by piece; what was not taken stays for the tunnel. */
export const createIntake = (socket: Socket, { maxBytes }: { maxBytes: number }) => {
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<void> => {
    if (held.length >= maxBytes) throw new BadIntake("the head is too long");
    held = Buffer.concat([held, await nextChunk(socket)]);
  };
  const take = (size: number): Buffer => {
    const taken = held.subarray(0, size);
    held = held.subarray(size);
    return taken;
  };
  return {
    /** the first bytes, without taking them */
    peek: async (size: number): Promise<Buffer> => {
      while (held.length < size) await more();
      return held.subarray(0, size);
    },
    take: async (size: number): Promise<Buffer> => {
      while (held.length < size) await more();
      return take(size);
    },
    takeThrough: async (mark: string): Promise<Buffer> => {
      let from = 0;
      for (;;) {
        const at = held.indexOf(mark, from, "latin1");
        if (at >= 0 && at + mark.length <= maxBytes) return take(at + mark.length);
        from = Math.max(0, held.length - mark.length);
        await more();
      }
    },
    /** everything that came and was not taken */
    rest: (): Buffer => take(held.length),
  };
};

export type Intake = ReturnType<typeof createIntake>;

const nextChunk = (socket: Socket): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const done = (act: () => void) => () => {
      socket.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd);
      socket.pause();
      act();
    };
    const onEnd = done(() => reject(new BadIntake("the client left")));
    const onData = (chunk: Buffer) => done(() => resolve(chunk))();
    if (socket.destroyed || socket.readableEnded) return reject(new BadIntake("the client left"));
    socket.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd);
    socket.resume();
  });
