/** A path as a manifest holds it: relative, NFC, `/` between segments, never percent-encoded. */
export type AssetPath = { path: string; warnings: string[] } | { fault: string };

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const WINDOWS_RESERVED = /[<>:"|?*]/;

const segmentFault = (segment: string, index: number): string | undefined => {
  if (segment === "") return "has an empty segment";
  if (segment === "." || segment === "..") return `has a "${segment}" segment`;
  if (Buffer.byteLength(segment) > 255) return "has a segment of more than 255 bytes";
  if (/[. ]$/.test(segment)) return `has the segment "${segment}", which ends with a dot or a space`;
  if (segment.startsWith(".") && !(index === 0 && segment === ".well-known")) {
    return `has the hidden segment "${segment}"; only .well-known/ may start with a dot`;
  }
  return undefined;
};

const segmentWarning = (segment: string): string | undefined => {
  if (WINDOWS_DEVICE.test(segment)) return `"${segment}" is a device name on Windows`;
  if (WINDOWS_RESERVED.test(segment)) return `"${segment}" cannot be a file name on Windows`;
  return undefined;
};

const isWellFormed = (text: string): boolean => {
  try {
    encodeURIComponent(text);
    return true;
  } catch {
    return false; // a lone surrogate: no URL could ever name it
  }
};

/**
 * Checks and normalises the path of one asset. Paths are keys into a manifest and never file names here;
 * what is refused is what no URL reaches, what another system would read as another path, and hidden files.
 */
export const parseAssetPath = (text: string, maxChars: number): AssetPath => {
  if (!isWellFormed(text)) return { fault: "is not well-formed Unicode" };
  const path = text.normalize("NFC").replace(/^\//, "");
  if (path === "") return { fault: "is empty" };
  if (path.length > maxChars) return { fault: `has ${path.length} characters; the limit is ${maxChars}` };
  if (CONTROL.test(path)) return { fault: "holds a control character" };
  if (path.includes("\\")) return { fault: 'holds a backslash; write "/" between folders' };
  const segments = path.split("/");
  for (const [index, segment] of segments.entries()) {
    const fault = segmentFault(segment, index);
    if (fault) return { fault };
  }
  return { path, warnings: segments.flatMap((segment) => segmentWarning(segment) ?? []) };
};
