/**
 * Values in the order they were pushed, for one reader. `onHandled` of a value runs when the reader comes
 * back for the next one (or leaves): by then it has acted on it.
 */
export type EventQueue<T> = AsyncIterable<T> & {
  push: (value: T, onHandled?: () => void) => void;
  /** iteration ends after what was pushed so far; later pushes are ignored */
  close: () => void;
};

export const createEventQueue = <T>(): EventQueue<T> => {
  const waiting: { value: T; onHandled: (() => void) | undefined }[] = [];
  let isClosed = false;
  let wake: (() => void) | undefined;
  const signal = () => {
    wake?.();
    wake = undefined;
  };
  const iterate = async function* (): AsyncGenerator<T> {
    for (;;) {
      const next = waiting.shift();
      if (next) {
        try {
          yield next.value;
        } finally {
          next.onHandled?.();
        }
      } else if (isClosed) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  };
  return {
    push: (value, onHandled) => {
      if (isClosed) return;
      waiting.push({ value, onHandled });
      signal();
    },
    close: () => {
      isClosed = true;
      signal();
    },
    [Symbol.asyncIterator]: iterate,
  };
};
