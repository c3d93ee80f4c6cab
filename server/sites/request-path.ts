/** A request path, decoded exactly once. `path` has no leading slash; `folder` says it ended with one. */
export type RequestPath = { path: string; folder: boolean; query: string };

const CONTROL = /[\u0000-\u001f\u007f]/;
const MAX_CHARS = 4096;

/**
 * Reads the target of a request as it came over the wire, or undefined when it names nothing a manifest
 * can hold: malformed percent-encoding, NUL and control characters, backslashes, `.`, `..` and empty
 * segments. `%252f` stays the literal text `%2f`; `%2F` is refused, because a slash in a name is no folder.
 */
export const readRequestPath = (target: string): RequestPath | undefined => {
  if (target.length > MAX_CHARS || !target.startsWith("/")) return undefined;
  const mark = target.indexOf("?");
  const raw = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  if (raw === "/") return { path: "", folder: true, query };
  if (/%2f|%5c|\\|#/i.test(raw)) return undefined;
  let decoded: string;
  try {
    decoded = raw.includes("%") ? decodeURIComponent(raw) : raw;
  } catch {
    return undefined;
  }
  if (CONTROL.test(decoded)) return undefined;
  const folder = decoded.endsWith("/");
  const path = decoded.slice(1, folder ? -1 : undefined).normalize("NFC");
  for (const segment of path.split("/"))
    if (segment === "" || segment === "." || segment === "..") return undefined;
  return { path, folder, query };
};
