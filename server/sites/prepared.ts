import type { Encoding } from "./encoding.ts";

/** Everything about an answer but its body: made once, sent many times. */
export type Prepared = {
  etag: string;
  /** the same as `headers`, in the form that costs least to send */
  sent: Headers;
  /** for 200, 206 and 404; the length of the whole representation is among them */
  headers: Record<string, string>;
  /** for 304: what a cache needs to go on using what it has */
  notModifiedHeaders: Record<string, string>;
};

/** What one address gave with one Accept-Encoding: the same request gets the same again, without deciding again. */
export type Repeat = { prepared: Prepared; sha256: string; encoding: Encoding | undefined };
