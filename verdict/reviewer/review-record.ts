import type { Finding } from "./read-findings.ts";

/** What came of a review, for the receipt. */
export type Review = {
  agent: string;
  model?: string;
  /** which time it was asked about this work, from 1 */
  round: number;
  findings: Finding[];
  costUsd?: number;
  problem?: string;
};
