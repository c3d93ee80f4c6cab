/** Raise it with every change of the analysis: an older index is then made again at the next start. */
export const ANALYSIS_VERSION = 1;
