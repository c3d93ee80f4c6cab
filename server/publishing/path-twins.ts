/** Two paths of one manifest that some file system or reader would take for the same. */
export type PathTwin = { index: number; other: number; reason: string };

// Unicode has no casefold in JS; upper then lower joins what folding joins (ß and ss, final sigma, ı aside).
const fold = (path: string): string => path.toUpperCase().toLowerCase().normalize("NFC");

/** Finds equal paths, paths equal but for case, and a file that is also a folder of another path. */
export const findTwins = (paths: readonly string[]): PathTwin[] => {
  const twins: PathTwin[] = [];
  const seen = new Map<string, number>();
  for (const [index, path] of paths.entries()) {
    const key = fold(path);
    const other = seen.get(key);
    if (other === undefined) seen.set(key, index);
    else {
      const same = paths[other] === path;
      twins.push({ index, other, reason: same ? "is listed twice" : "differs only in case" });
    }
  }
  for (const [index, path] of paths.entries()) {
    const key = fold(path);
    for (let slash = key.indexOf("/"); slash !== -1; slash = key.indexOf("/", slash + 1)) {
      const other = seen.get(key.slice(0, slash));
      if (other !== undefined) twins.push({ index, other, reason: "needs a folder where a file is" });
    }
  }
  return twins;
};
