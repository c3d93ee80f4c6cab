import { useState } from "preact/hooks";

/** Does what may fail; a failure stays until the next try. `run` says whether it went well. */
export const useWork = () => {
  const [error, setError] = useState<unknown>();
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setError(undefined);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    }
  };
  return { error, run };
};
