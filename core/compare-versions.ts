/** Orders versions by their numbers (`1.10.0` after `1.9.2`); what follows the numbers is left out. */
export const compareVersions = (one: string, other: string): number => {
  const read = (version: string): number[] =>
    (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "0").split(".").map(Number);
  const [left, right] = [read(one), read(other)];
  const at = left.findIndex((part, index) => part !== (right[index] ?? 0));
  if (at !== -1) return Math.sign((left[at] ?? 0) - (right[at] ?? 0));
  return right.slice(left.length).some((part) => part > 0) ? -1 : 0;
};
