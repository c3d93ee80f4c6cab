import type { NightBus } from "./bus.ts";

const HEARTBEAT_MS = 15_000;
/** What changes within this time is told together. */
const TOGETHER_MS = 250;

/**
 * Server-sent events: `change` with the runs that changed and how, of one run or of all. It tells what to read again,
 * not what is in it: whoever missed something has missed nothing by the next one.
 */
export const nightStream = (
  bus: NightBus,
  { run, signal }: { run: string | undefined; signal: AbortSignal },
): Response => {
  const text = new TextEncoder();
  let stop: () => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let pending = new Map<string, Set<string>>();
      let later: ReturnType<typeof setTimeout> | undefined;
      let isOpen = true;
      const send = (chunk: string): void => {
        if (isOpen) controller.enqueue(text.encode(chunk));
      };
      const flush = (): void => {
        later = undefined;
        const runs = [...pending].map(([id, kinds]) => ({ run: id, kinds: [...kinds] }));
        pending = new Map();
        send(`event: change\ndata: ${JSON.stringify({ runs })}\n\n`);
      };
      const heartbeat = setInterval(() => send(": still here\n\n"), HEARTBEAT_MS);
      heartbeat.unref();
      stop = (): void => {
        if (!isOpen) return;
        isOpen = false;
        clearInterval(heartbeat);
        clearTimeout(later);
        forget();
        signal.removeEventListener("abort", stop);
        try {
          controller.close();
        } catch {
          // whoever listened has gone
        }
      };
      const forget = bus.listen((change) => {
        if (run !== undefined && change.run !== run) return;
        const kinds = pending.get(change.run) ?? new Set();
        for (const kind of change.kinds) kinds.add(kind);
        pending.set(change.run, kinds);
        later ??= setTimeout(flush, TOGETHER_MS);
      }, stop);
      signal.addEventListener("abort", stop, { once: true });
      send("retry: 2000\n\n");
      if (signal.aborted || bus.isOver()) stop();
    },
    cancel: () => stop(),
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
};
