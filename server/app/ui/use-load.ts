import { useCallback, useEffect, useState } from "preact/hooks";

/** Calls when somebody comes back to this tab, and every few seconds while they look: others change things, too. */
export const useAgain = (reload: () => Promise<void>, everyMs = 10_000): void => {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") void reload();
    };
    const timer = setInterval(look, everyMs);
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [reload, everyMs]);
};

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
