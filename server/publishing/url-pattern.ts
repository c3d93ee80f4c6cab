/** A path pattern of a rule file, compiled: `*` is a splat, `:name` one segment. */
export type Pattern = { regex: RegExp; names: string[] };

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const MAX_CHARS = 1024;

/**
 * Compiles a path pattern, or says what is wrong with it. The splat may stand only at the end and a
 * placeholder takes a whole segment, so matching is linear: no pattern can make the server think for long.
 */
export const compilePattern = (text: string): Pattern | string => {
  if (!text.startsWith("/")) return `"${text}" must start with "/"`;
  if (text.length > MAX_CHARS) return `a pattern may have ${MAX_CHARS} characters`;
  if (/[\s?#]/.test(text)) return `"${text}" holds a space, "?" or "#"`;
  const names: string[] = [];
  let source = "";
  const segments = text.slice(1).split("/");
  for (const [index, segment] of segments.entries()) {
    if (segment === "*" && index === segments.length - 1) {
      names.push("splat");
      // "/blog/*" also means "/blog" itself.
      source += index === 0 ? "/(.*)" : "(?:/(.*))?";
    } else if (segment.includes("*")) {
      if (index !== segments.length - 1 || !/^[^*]*\*$/.test(segment))
        return `"${text}": "*" may stand only at the end`;
      names.push("splat");
      source += `/${escape(decode(segment.slice(0, -1)))}(.*)`;
    } else if (segment.startsWith(":")) {
      if (!/^:\w+$/.test(segment))
        return `"${segment}" is not a placeholder: ":" and then letters and digits`;
      if (names.includes(segment.slice(1))) return `"${segment}" stands twice in "${text}"`;
      names.push(segment.slice(1));
      source += "/([^/]+)";
    } else source += `/${escape(decode(segment))}`;
  }
  return { regex: new RegExp(`^${source}$`, "su"), names };
};

/** A text of a rule as a path has it; as it stands where it is no valid escape. */
export const decode = (text: string): string => {
  try {
    return decodeURIComponent(text).normalize("NFC");
  } catch {
    return text;
  }
};

/** What the pattern's placeholders stand for in a path, or undefined when the path does not match. */
export const matchPattern = ({ regex, names }: Pattern, path: string): Map<string, string> | undefined => {
  const match = regex.exec(path);
  if (!match) return undefined;
  return new Map(names.map((name, index) => [name, match[index + 1] ?? ""]));
};
