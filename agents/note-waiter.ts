/** Hands the one closing note to whoever waits for it; undefined when the time is over or the agent is gone. */
export const createNoteWaiter = () => {
  let settle: (note: string | undefined) => void = () => undefined;
  const note = new Promise<string | undefined>((resolve) => {
    settle = resolve;
  });
  return {
    answer: (text: string) => settle(text),
    close: () => settle(undefined),
    wait: async (timeoutMs: number): Promise<string | undefined> => {
      const timer = setTimeout(() => settle(undefined), timeoutMs);
      try {
        return await note;
      } finally {
        clearTimeout(timer);
      }
    },
  };
};
