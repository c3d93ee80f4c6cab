import type { ManifestEntry } from "./manifest.ts";

const MAX_MANIFESTS = 32;

/** Manifests never change, and during an upload every file asks for the same one. */
export const createManifestCache = () => {
  const known = new Map<string, ManifestEntry[]>();
  // An imported deployment may have the id of a deleted one, with other files.
  const keyOf = (id: string, digest: string): string => `${id} ${digest}`;
  return {
    find: (id: string, digest: string): ManifestEntry[] | undefined => known.get(keyOf(id, digest)),
    /** Takes in what the database has; nothing is remembered of a deployment that is gone. */
    keep: (id: string, digest: string, json: string | undefined): ManifestEntry[] => {
      if (json === undefined) return [];
      const manifest = JSON.parse(json) as ManifestEntry[];
      const oldest = known.keys().next().value;
      if (known.size >= MAX_MANIFESTS && oldest !== undefined) known.delete(oldest);
      known.set(keyOf(id, digest), manifest);
      return manifest;
    },
  };
};
