import { useCallback, useEffect, useRef, useState } from "preact/hooks";

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
  // Answers can overtake each other: what was asked before the newest that came is old.
  const asked = useRef(0);
  const shown = useRef(0);
  const reload = useCallback(async () => {
    const number = (asked.current += 1);
    const show = (change: (before: { value?: T }) => { value?: T; error?: unknown }) => {
      if (number < shown.current) return;
      shown.current = number;
      setState((before) => ({ ...change(before.key === key ? before : {}), key }));
    };
    try {
      const value = await load();
      show(() => ({ value }));
    } catch (error) {
      show(({ value }) => ({ ...(value === undefined ? {} : { value }), error }));
    }
  }, [key]);
  useEffect(() => void reload(), [reload]);
  const isCurrent = state.key === key;
  return { value: isCurrent ? state.value : undefined, error: isCurrent ? state.error : undefined, reload };
};
