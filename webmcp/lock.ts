import { generateTools } from "./generate-tools.ts";
import { canonicalJson } from "./json.ts";
import type { OpenApiDocument } from "./types.ts";

/** What was agreed on: the digest of every tool, so that a change of one is seen before an agent meets it. */
export type ToolLock = {
  version: 1;
  /** SHA-256 of all the tools' digests. */
  digest: string;
  tools: Record<string, { operation: string; digest: string }>;
};

export type ToolDrift = { added: string[]; removed: string[]; changed: string[] };

/** The lock of a document's tools; the order of keys in the document does not matter. */
export const lockTools = async (document: OpenApiDocument): Promise<ToolLock> => {
  const tools = generateTools(document).sort((a, b) => (a.name < b.name ? -1 : 1));
  const entries = await Promise.all(
    tools.map(async (tool) => {
      const { method, path } = tool.operation;
      return [
        tool.name,
        { operation: `${method} ${path}`, digest: await sha256(canonicalJson(tool)) },
      ] as const;
    }),
  );
  return { version: 1, digest: await sha256(canonicalJson(entries)), tools: Object.fromEntries(entries) };
};

/** How a document's tools differ from a lock; undefined when they do not. */
export const checkLock = async (
  document: OpenApiDocument,
  lock: ToolLock,
): Promise<ToolDrift | undefined> => {
  const now = (await lockTools(document)).tools;
  const then = new Map(Object.entries(lock.tools));
  const drift = {
    added: Object.keys(now).filter((name) => !then.has(name)),
    removed: [...then.keys()].filter((name) => !Object.hasOwn(now, name)),
    changed: Object.entries(now)
      .filter(([name, { digest }]) => then.has(name) && then.get(name)?.digest !== digest)
      .map(([name]) => name),
  };
  return Object.values(drift).every((names) => names.length === 0) ? undefined : drift;
};

const sha256 = async (text: string): Promise<string> => {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
};
