import { useCallback, useEffect, useState } from "preact/hooks";

export type Loaded<T> = { value: T | undefined; error: unknown; reload: () => Promise<void> };

/** Loads something for a page; keeps showing the old value while it loads again. */
export const useLoad = <T>(load: () => Promise<T>, key: string): Loaded<T> => {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown }>({ key });
  const reload = useCallback(async () => {
    try {
      const value = await load();
      setState({ key, value });
    } catch (error) {
      setState((before) => ({ ...before, key, error }));
    }
  }, [key]);
  useEffect(() => void reload(), [reload]);
  const isCurrent = state.key === key;
  return { value: isCurrent ? state.value : undefined, error: isCurrent ? state.error : undefined, reload };
};
