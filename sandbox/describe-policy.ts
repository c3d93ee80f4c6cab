import { describeLimits } from "./limits/describe-limits.ts";
import type { Access, Policy, Rule } from "./policy.ts";

const TITLES: readonly [Access, string][] = [
  ["write", "written"],
  ["copy", "written in a copy that ends with the session"],
  ["open", "private: what is new in it ends with the session"],
  ["hidden", "hidden"],
  ["read", "read, although it lies in what is hidden or written"],
];

/** Rules that only say what the read-only root says anyway are none that a person wants to read. */
const isTelling = (rules: readonly Rule[], { path, access }: Rule): boolean => {
  if (access !== "read") return true;
  const above = rules.findLast((rule) => rule.path !== path && path.startsWith(`${rule.path}/`));
  return above !== undefined && above.access !== "read" && above.access !== "open";
};

/** A policy in lines for people: by what may be done, each path with its reason. */
export const describePolicy = (
  { rules, network, limits, held }: Policy,
  { heading }: { heading: (text: string) => string },
): string[] => [
  ...TITLES.flatMap(([access, title]) => {
    const found = rules.filter((rule) => rule.access === access && isTelling(rules, rule));
    return found.length === 0 ? [] : [heading(title), ...found.map(({ path, why }) => `  ${path}  (${why})`)];
  }),
  heading("network"),
  ...(network.mode === "none"
    ? ["  none; its own loopback"]
    : network.mode === "open"
      ? ["  every public host, through a proxy that logs each one; its own loopback"]
      : network.allow.length === 0
        ? ["  no host is allowed; its own loopback"]
        : network.allow.map((host) => `  ${host}`)),
  heading("limits"),
  `  ${limits.tmpMiB} MiB in each private folder, ${limits.fileMiB} MiB a file`,
  ...describeLimits(limits, held).map((line) => `  ${line}`),
];
