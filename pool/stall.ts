/** Notices when a sign of life stays the same for longer than `patienceMs`, the machine's sleep not counted. */
export const createStall = (elapsedMs: () => number, patienceMs: number) => {
  let last: number | undefined;
  let since = elapsedMs();
  return {
    isStalled: (sign: number): boolean => {
      if (sign !== last) {
        last = sign;
        since = elapsedMs();
      }
      return elapsedMs() - since > patienceMs;
    },
  };
};
