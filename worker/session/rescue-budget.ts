/** How much of what no commit has yet a rescue copies into the repository. */
export type RescueBudget = { totalBytes: number; fileBytes: number };

const MIB = 1024 * 1024;

export const DEFAULT_RESCUE_BUDGET: RescueBudget = { totalBytes: 50 * MIB, fileBytes: 10 * MIB };

/** For a tree that goes away afterwards. */
export const EVERYTHING: RescueBudget = { totalBytes: Infinity, fileBytes: Infinity };

/** The budget as the config says it; a state of an earlier version says nothing. */
export const rescueBudget = ({
  rescueMiB,
  rescueFileMiB,
}: {
  rescueMiB?: number;
  rescueFileMiB?: number;
}): RescueBudget => ({
  totalBytes: rescueMiB === undefined ? DEFAULT_RESCUE_BUDGET.totalBytes : rescueMiB * MIB,
  fileBytes: rescueFileMiB === undefined ? DEFAULT_RESCUE_BUDGET.fileBytes : rescueFileMiB * MIB,
});

/** One budget for several repositories: small files come first, so that one large one costs no others. */
export const openBudget = ({ totalBytes, fileBytes }: RescueBudget) => {
  let left = totalBytes;
  return {
    take: (files: readonly { path: string; bytes: number }[]) => {
      const taken: string[] = [];
      const over: { path: string; words: string }[] = [];
      for (const { path, bytes } of files.toSorted((a, b) => a.bytes - b.bytes))
        if (bytes <= fileBytes && bytes <= left) {
          taken.push(path);
          left -= bytes;
        } else over.push({ path, words: `${(bytes / MIB).toFixed(1)} MiB` });
      return { taken, left: over };
    },
  };
};
