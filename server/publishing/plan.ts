import type { ManifestEntry } from "./manifest.ts";

/** What activating one manifest in place of another changes. Paths are sorted as the manifests are. */
export type Plan = { added: string[]; changed: string[]; removed: string[]; unchanged: number };

/** Compares two manifests; without `before` everything is added. */
export const planChange = (before: readonly ManifestEntry[], after: readonly ManifestEntry[]): Plan => {
  const old = new Map(before.map((entry) => [entry.path, entry]));
  const kept = new Set(after.map(({ path }) => path));
  const plan: Plan = { added: [], changed: [], removed: [], unchanged: 0 };
  for (const { path, sha256, contentType } of after) {
    const was = old.get(path);
    if (!was) plan.added.push(path);
    else if (was.sha256 !== sha256 || was.contentType !== contentType) plan.changed.push(path);
    else plan.unchanged += 1;
  }
  plan.removed = before.flatMap(({ path }) => (kept.has(path) ? [] : [path]));
  return plan;
};
