/** A stream that is read only as fast as it is sent. */
export const toWebStream = (source: AsyncIterable<unknown>): ReadableStream<Uint8Array> => {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      // tar-stream declares its chunks as unknown; they are buffers.
      else controller.enqueue(value as Uint8Array);
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
};
