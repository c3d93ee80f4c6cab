import { clockText } from "../../../core/people-time.ts";
import { reasonLine } from "../../../verdict/describe-verdict.ts";
import type { VerdictRecord } from "../../../worker/state/worker-state.ts";

/** A verdict in one word. */
export const verdictWord = ({ word, accepted }: Pick<VerdictRecord, "word" | "accepted">): string =>
  accepted ? "complete (accepted)" : word;

/** The verdict with every reason, a line each. */
export const verdictLines = (verdict: VerdictRecord): string[] => [
  `${verdictWord(verdict)}${verdict.head === undefined ? "" : `  commit ${verdict.head.slice(0, 12)}`}${verdict.where === "tree" ? ", judged in the project's own folder" : ""}`,
  ...(verdict.accepted
    ? [
        `  accepted by ${verdict.accepted.by}, ${clockText(verdict.accepted.at, Date.now())}${verdict.accepted.reason === undefined ? "" : `: ${verdict.accepted.reason}`}`,
      ]
    : []),
  ...verdict.reasons.map((reason) => `  ${reason.weight}: ${reasonLine(reason)}`),
  ...(verdict.receipt === undefined ? [] : [`  receipt: ${verdict.receipt}`]),
];
