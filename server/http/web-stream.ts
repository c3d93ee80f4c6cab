/**
 * A stream that is read only as fast as it is sent. Why it broke off is not said in it: what an answer's body
 * fails with may be shown to whoever asked.
 */
export const toWebStream = (source: AsyncIterable<unknown>): ReadableStream<Uint8Array> => {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        // tar-stream declares its chunks as unknown; they are buffers.
        else controller.enqueue(value as Uint8Array);
      } catch {
        controller.error(new Error("the content could not be read to its end"));
      }
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
};
