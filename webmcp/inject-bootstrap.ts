import { findHeadStart } from "./html-head.ts";

/** What no longer holds once the page has grown. */
const STALE_HEADERS = [
  "accept-ranges",
  "content-digest",
  "content-encoding",
  "content-length",
  "content-md5",
  "digest",
  "etag",
  "repr-digest",
  "transfer-encoding",
];

/**
 * Adds the bootstrap as an external module script to the head of an HTML response; anything else comes back as
 * it is. Repeats the nonce of the page's Content-Security-Policy, so that both `script-src 'self'` and nonces
 * work. Bytes are left as they are, in whatever ASCII-compatible encoding.
 */
export const injectWebMcpBootstrap = async (response: Response, bootstrapPath: string): Promise<Response> => {
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(
    response.headers.get("content-type") ?? "",
  );
  if (!isHtml || response.body === null) return response;
  const bytes = await decompress(new Uint8Array(await response.arrayBuffer()));
  // windows-1252 maps each byte to one character: a place in the text is a place in the bytes.
  const html = new TextDecoder("windows-1252").decode(bytes);
  const at = findHeadStart(html.replace(/^\u00EF\u00BB\u00BF/, "\uFEFF\uFEFF\uFEFF"));
  const script = new TextEncoder().encode(scriptTag(bootstrapPath, findNonce(response.headers)));
  const grown = new Uint8Array(bytes.byteLength + script.byteLength);
  grown.set(bytes.subarray(0, at));
  grown.set(script, at);
  grown.set(bytes.subarray(at), at + script.byteLength);
  const headers = new Headers(response.headers);
  for (const name of STALE_HEADERS) headers.delete(name);
  return new Response(grown, { status: response.status, statusText: response.statusText, headers });
};

/** A fetched response says gzip and is unpacked already; one that an application packed begins with gzip's mark. */
const decompress = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const plain = new Response(bytes).body?.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain ?? null).arrayBuffer());
};

const findNonce = (headers: Headers): string | undefined => {
  const directives = (headers.get("content-security-policy") ?? "").split(/[;,]/).map((text) => text.trim());
  for (const name of ["script-src-elem", "script-src", "default-src"]) {
    const sources = directives.find((text) => text.toLowerCase().split(/\s/)[0] === name);
    if (sources !== undefined) return /'nonce-([A-Za-z0-9+/_=-]+)'/.exec(sources)?.[1];
  }
  return undefined;
};

const scriptTag = (path: string, nonce: string | undefined): string =>
  `<script type="module" src="${escapeAttribute(path)}"${nonce === undefined ? "" : ` nonce="${nonce}"`}></script>`;

const escapeAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
