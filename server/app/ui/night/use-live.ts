import { useEffect, useRef, useState } from "preact/hooks";
import { open } from "../api.ts";
import { useAgain } from "../use-load.ts";

const POLL_MS = 5_000;
const GAP_MS = 1_000;
const AGAIN_MS = 3_000;

/** Reads server-sent events with the session's header, which an EventSource cannot send; resolves at the end. */
const follow = async (path: string, signal: AbortSignal, onEvent: (data: string) => void): Promise<void> => {
  const { body } = await open(path, { signal });
  if (!body) return;
  onEvent("");
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const data = part.split("\n").find((line) => line.startsWith("data: "));
      if (data) onEvent(data.slice(6));
    }
  }
};

type Changes = { runs: { run: string; kinds: string[] }[] };

/** The kinds of what changed; all of them where that is not known. */
const kindsIn = (data: string): string[] => {
  if (data === "") return ["all"];
  return (JSON.parse(data) as Changes).runs.flatMap(({ kinds }) => kinds);
};

export type Live<T> = {
  value: T | undefined;
  error: unknown;
  /** when the value was true, by this machine's clock */
  at: number | undefined;
  isLive: boolean;
  reload: () => Promise<void>;
};

/** Where something comes from, and the stream that tells when it changed. */
type Source<T> = { load: () => Promise<T>; stream: string; onKinds?: (kinds: string[]) => void };

/**
 * Loads something and keeps it true: told by the server's stream what changed, asking every few seconds where there is
 * none. With the server gone the last value stays.
 */
export const useLive = <T>(key: string, { load: ask, stream, onKinds }: Source<T>): Live<T> => {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown; at?: number }>({ key });
  const [isLive, setLive] = useState(false);
  const told = useRef(onKinds);
  told.current = onKinds;
  const load = useRef<() => Promise<void>>(async () => {});

  useEffect(() => {
    const over = new AbortController();
    let isLoading = false;
    let isAgain = false;
    const reload = async (): Promise<void> => {
      if (isLoading) {
        isAgain = true;
        return;
      }
      isLoading = true;
      do {
        // However fast changes come: nobody reads faster than this.
        if (isAgain) await new Promise((resolve) => setTimeout(resolve, GAP_MS));
        isAgain = false;
        try {
          const value = await ask();
          if (!over.signal.aborted) setState({ key, value, at: Date.now() });
        } catch (error) {
          if (!over.signal.aborted)
            setState((before) => (before.key === key ? { ...before, error } : { key, error }));
        }
      } while (isAgain && !over.signal.aborted);
      isLoading = false;
    };
    load.current = reload;
    const listen = async (): Promise<void> => {
      while (!over.signal.aborted) {
        try {
          await follow(stream, over.signal, (data) => {
            setLive(true);
            const kinds = kindsIn(data);
            told.current?.(kinds);
            if (kinds.some((kind) => kind !== "log")) void reload();
          });
        } catch {
          // gone, or not let in: asking tells
        }
        if (over.signal.aborted) return;
        setLive(false);
        await reload();
        told.current?.(["all"]);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    };
    void reload();
    void listen();
    return () => over.abort();
  }, [key, stream]);

  // What only time changes (ages, silence) is asked for, too.
  const [reload] = useState(() => () => load.current());
  useAgain(reload, POLL_MS);

  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    at: isCurrent ? state.at : undefined,
    isLive,
    reload,
  };
};
