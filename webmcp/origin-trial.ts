/** What an origin-trial token says of itself. Only the browser can tell whether it was signed by its vendor. */
export type OriginTrialToken = {
  /** The origin it is for, as in `https://example.com:443`. */
  origin: string;
  /** The trial: `WebMCP`. */
  feature: string;
  /** After this browsers ignore it. */
  expiresAt: Date;
};

/** Version and signature; the length of the payload, in big-endian order, comes next. */
const SIGNED_BYTES = 1 + 64;
const LENGTH_BYTES = 4;

/**
 * Reads a token of a browser's origin trial (GoogleChrome/OriginTrials, third_party/blink/common/origin_trials).
 * @throws TypeError when the text is no such token, or is one for another trial
 */
export const readOriginTrialToken = (token: string): OriginTrialToken => {
  const payload = readPayload(token);
  if (payload === undefined) throw new TypeError("an origin-trial token must be what the trial's page shows");
  const { origin, feature, expiry } = payload;
  if (typeof origin !== "string" || typeof feature !== "string" || typeof expiry !== "number")
    throw new TypeError("an origin-trial token must name its origin, its feature and its end");
  if (feature !== "WebMCP")
    throw new TypeError(
      `the origin-trial token is for the feature ${JSON.stringify(feature)}, not for WebMCP`,
    );
  return { origin, feature, expiresAt: new Date(expiry * 1000) };
};

const readPayload = (token: string): Record<string, unknown> | undefined => {
  if (typeof token !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(token)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const start = SIGNED_BYTES + LENGTH_BYTES;
    const length = new DataView(bytes.buffer).getUint32(SIGNED_BYTES);
    if (bytes.length !== start + length) return undefined;
    const payload: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(start)));
    return typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};
