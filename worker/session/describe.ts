import { plural } from "../../core/plural.ts";
import type { SessionRecord } from "../state/worker-state.ts";
import type { HealthReport } from "./health.ts";
import type { MemoryAnswer } from "./memory-client.ts";
import type { PastConversations } from "./past-conversations.ts";
import { type Progress, contextPercent } from "./watch-agent.ts";

export const describeHealth = ({ record }: HealthReport): string =>
  record.verdict === "none"
    ? "none ran (no gates/health.sh, no declared gate, and no built-in one that checks this work)"
    : `${record.verdict}${record.problem ? `, ${record.problem}` : ""}`;

export const describeMemory = (
  answer: MemoryAnswer | undefined,
  { url, off }: { url?: string | undefined; off?: string | undefined } = {},
): string => {
  if (!answer) return off === undefined ? "off" : `off (${off})`;
  if (answer.status === "unavailable") return `unavailable; continuing without it (${answer.problem})`;
  const from = url === undefined ? "" : ` from ${url}`;
  if (answer.text === "") return `nothing relevant${from}`;
  return `${answer.count || "some"} ${answer.count === 1 ? "learning" : "learnings"}${from}`;
};

export const describePast = (past: PastConversations): string => {
  if (past.status === "off") return "off (recall.enabled in the config)";
  if (past.status === "unavailable") return `unavailable; continuing without them (${past.problem})`;
  return past.status === "found" ? plural(past.memories.length, "excerpt") : "nothing about this task";
};

export const describeUsage = ({ contextTokens, windowTokens }: SessionRecord): string =>
  contextTokens === undefined
    ? ""
    : `, context ${contextTokens}${windowTokens ? ` of ${windowTokens} (${Math.round((100 * contextTokens) / windowTokens)} %)` : ""}`;

/** What a person should know of a session whose first words were wrong about its work. */
export const describeContradiction = ({
  number,
  acknowledgement,
  acknowledged,
}: SessionRecord): string | undefined =>
  acknowledgement === "contradicted"
    ? `session ${number} contradicted the branch, HEAD or work tree of its handoff: it said ${acknowledged}`
    : undefined;

export const describeProgress = (progress: Progress): string => {
  const percent = contextPercent(progress);
  const last = progress.texts.at(-1)?.split("\n")[0] ?? "";
  return [percent === undefined ? "" : `context ${Math.round(percent)} %`, last].filter(Boolean).join(" · ");
};
