import { useEffect, useState } from "preact/hooks";
import { Failure } from "../parts.tsx";
import type { Live } from "./use-live.ts";
import { agoText, dayText } from "./words.ts";

/** The present time, every few seconds. */
export const useNow = (everyMs = 5_000): number => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
};

/** Whether what is shown is how it is; and how old it is when the server is gone. */
export const Freshness = ({ live }: { live: Pick<Live<unknown>, "value" | "error" | "at" | "isLive"> }) => {
  const now = useNow();
  if (live.value === undefined) return <Failure error={live.error} />;
  if (live.error === undefined) return null;
  const { at = now } = live;
  return (
    <p class="notice warn" role="status">
      The server does not answer. This is the state of {dayText(new Date(at).toISOString())} (
      {agoText((now - at) / 1000)}). The page updates by itself as soon as the server is back.
    </p>
  );
};

export const LiveMark = ({ isLive }: { isLive: boolean }) => (
  <span class={isLive ? "live on" : "live"}>{isLive ? "Live" : "Updates every 5 s"}</span>
);
