import { errorText } from "../../core/errors.ts";
import { type ChannelPorts, SendFailure } from "./channel.ts";

const TIMEOUT_MS = 10_000;
const LONGEST_ANSWER = 300;
/** Too early, too much, or the other side's own trouble: these pass. */
const PASSING = [408, 425, 429];

const retryAfterOf = (response: Response, nowMs: number): { retryAfterMs?: number } => {
  const said = response.headers.get("retry-after");
  if (said === null) return {};
  const ms = /^\d+$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? { retryAfterMs: ms } : {};
};

const lowerCased = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * Sends a body to a provider.
 * @throws SendFailure without the address, which may hold a secret
 */
export const post = async (
  { fetch, now }: ChannelPorts,
  url: string,
  { body, headers }: { body: string | Uint8Array<ArrayBuffer>; headers?: Readonly<Record<string, string>> },
): Promise<void> => {
  const { host } = new URL(url);
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      body,
      // Whatever the case of a name: the last of two counts, not both.
      headers: { "content-type": "application/json", ...lowerCased(headers) },
      redirect: "error", // what was meant for one host goes to no other
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw new SendFailure(`${host} cannot be reached: ${errorText(error)}`);
  }
  const answer = await response.text().catch(() => "");
  if (response.ok) return;
  const isFinal = response.status < 500 && !PASSING.includes(response.status);
  throw new SendFailure(`${host} answered ${response.status}: ${answer.slice(0, LONGEST_ANSWER)}`.trim(), {
    isFinal,
    status: response.status,
    ...retryAfterOf(response, now()),
  });
};
