import type { ServerAccess } from "./server-client.ts";
import type { Clock } from "../core/clock.ts";

const ATTEMPTS = 6;
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 10_000;
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

type Fetch = ServerAccess["fetch"];
type Ports = { fetch: Fetch; clock: Clock; random: () => number };

/**
 * A `fetch` that sends again what did not arrive: on a lost connection, on 429 and on 5xx, with growing pauses. Only
 * for what may be repeated: uploads by their digest, creation by its Idempotency-Key, reading.
 */
export const retryingFetch =
  ({ fetch, clock, random }: Ports, signal: AbortSignal): Fetch =>
  async (input, init) => {
    const waitMs = (attempt: number, response: Response | undefined): number => {
      const asked = Number(response?.headers.get("retry-after") ?? Number.NaN);
      if (!Number.isNaN(asked)) return Math.min(asked * 1000, MAX_WAIT_MS * 3);
      return Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS) * (0.5 + random() / 2);
    };
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt + 1 >= ATTEMPTS;
      let response: Response | undefined;
      try {
        response = await fetch(input, init);
      } catch (error) {
        if (isLast || signal.aborted) throw error;
      }
      if (response && (isLast || !RETRIED.has(response.status))) return response;
      await response?.body?.cancel();
      await clock.sleep(waitMs(attempt, response), signal);
    }
  };
