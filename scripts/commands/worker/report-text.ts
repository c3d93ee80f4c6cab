import { plural } from "../../../core/plural.ts";
import { describeBytes, describeLedger } from "../../../sandbox/network/describe-ledger.ts";
import type { DiffStat } from "../../../worker/report/commit-stats.ts";
import type { Report, WorkerReport } from "../../../worker/report/report.ts";
import { reasonLine } from "../../../verdict/describe-verdict.ts";
import { verdictWord } from "./show-verdict.ts";
import { clockText, localTimes, spanText } from "../../../core/people-time.ts";
import type { Style } from "../../command/style.ts";
import { displayWidth, fit } from "../../command/table.ts";
import { wrapWords } from "../../command/wrap-words.ts";
import { statusColor } from "./show-worker.ts";

export const statText = ({ files, insertions, deletions }: DiffStat): string =>
  `+${insertions} -${deletions} in ${plural(files, "file")}`;

/** "2 complete · 1 failed", most frequent first. */
export const outcomesText = ({ byOutcome }: Report["totals"]): string =>
  Object.entries(byOutcome)
    .toSorted(([, a], [, b]) => b - a)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(" · ");

/** "$2.10", "$2.10 + unknown", "cost unknown": never a sum that looks like all there was. */
const moneyText = ({ costUsd, costUnknown }: { costUsd: number; costUnknown: number }): string => {
  if (costUsd > 0) return `$${costUsd.toFixed(2)}${costUnknown > 0 ? " + unknown" : ""}`;
  return costUnknown > 0 ? "cost unknown" : "";
};

export const totalsText = ({ totals }: Report): string =>
  [
    `${plural(totals.workers, "worker")}: ${outcomesText(totals)}`,
    plural(totals.sessions, "session"),
    moneyText(totals),
    `${plural(totals.commits, "commit")}${totals.diffstat.files > 0 ? ` (${statText(totals.diffstat)})` : ""}`,
  ]
    .filter(Boolean)
    .join(" · ");

/** "3 sessions", "3 sessions (2 claude, 1 codex)". */
const sessionsText = ({ sessions, sessionsByAgent }: WorkerReport): string => {
  const counts = Object.entries(sessionsByAgent).map(([agent, count]) => `${count} ${agent}`);
  return `${plural(sessions, "session")}${counts.length > 1 ? ` (${counts.join(", ")})` : ""}`;
};

export const figuresText = (worker: WorkerReport): string =>
  [
    spanText(worker.durationMs),
    sessionsText(worker),
    moneyText(worker),
    `${plural(worker.commits.length, "commit")}${worker.diffstat ? ` (${statText(worker.diffstat)})` : ""}`,
  ]
    .filter(Boolean)
    .join(" · ");

/** What a person should know beside the outcome; empty for a worker about which there is nothing to say. */
export const noticesOf = (worker: WorkerReport): string[] => [
  `gates ${worker.gates}`,
  ...(worker.verdict ? [`verdict ${verdictWord(worker.verdict)}`] : []),
  ...(worker.rescued.length > 0 ? [plural(worker.rescued.length, "rescue")] : []),
  ...(worker.criticStops > 0 ? [plural(worker.criticStops, "critic stop")] : []),
  ...(worker.remarks.length > 0 ? [plural(worker.remarks.length, "remark")] : []),
];

/** The first line of what the agent wrote; that it wrote nothing is not its word. */
const noteLines = (note = ""): string[] =>
  note
    .replace(/^The session left no note.*/, "")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, 1);

const SHOWN_CALLS = 3;

/** A report is read on one screen: whom it was refused, and how many it called. */
const callLines = ({ calls }: WorkerReport): string[] => {
  const refused = calls.filter(({ verdict }) => verdict === "refused");
  const called = calls.filter(({ verdict }) => verdict === "allowed");
  const bytes = called.reduce((sum, entry) => sum + entry.bytesSent, 0);
  const more = refused.length - SHOWN_CALLS;
  return [
    ...describeLedger(refused.slice(0, SHOWN_CALLS)),
    ...(more > 0 ? [`refused  ${plural(more, "more host")}: worker report --markdown`] : []),
    ...(called.length > 0 ? [`called ${plural(called.length, "host")}, ${describeBytes(bytes)} sent`] : []),
  ];
};

const workerLines = (worker: WorkerReport, style: Style, columns: number): string[] => [
  `${style.bold(worker.name)}  ${statusColor(worker.outcome, style)(worker.outcome)}${worker.why === "" ? "" : `: ${worker.why}`}`,
  `  ${figuresText(worker)}`,
  ...noteLines(worker.note).map((note) => `  ${style.dim(`“${fit(note, columns - 4)}”`)}`),
  `  ${noticesOf(worker).join(" · ")}`,
  ...(worker.verdict?.accepted ? [] : (worker.verdict?.reasons ?? []))
    .slice(0, 5)
    .map((reason) => `  ${reason.weight}: ${reasonLine(reason)}`),
  ...callLines(worker).map((line) => `  ${line}`),
  `  ${style.dim("next:")} ${worker.next}`,
];

/** The report on a terminal: five workers fit on one screen. */
export const reportLines = (
  report: Report,
  { style, columns }: { style: Style; columns: number },
): string[] => {
  const nowMs = Date.parse(report.at);
  const span = report.since === undefined ? [] : [`Since ${clockText(report.since, nowMs)}`];
  const first = report.workers.filter(({ needsYou }) => needsYou).map(({ name }) => name);
  return [
    [...span, totalsText(report)].join(" · "),
    ...(first.length > 0 ? [style.yellow(`Needs you first: ${first.join(", ")}`)] : []),
    ...report.workers.flatMap((worker) => ["", ...workerLines(worker, style, columns)]),
  ].flatMap((line) => wrap(localTimes(line, nowMs), columns));
};

/** A line that is too wide breaks between its parts, a part that is too wide between its words. */
const wrap = (line: string, columns: number): string[] => {
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  for (const part of line.trimStart().split(" · ")) {
    const last = lines.at(-1);
    const longer = last === undefined ? `${indent}${part}` : `${last} · ${part}`;
    if (last === undefined || displayWidth(longer) <= columns) lines[Math.max(0, lines.length - 1)] = longer;
    else lines.push(`${indent}${part}`);
  }
  return lines.flatMap((text) =>
    displayWidth(text) <= columns
      ? [text]
      : wrapWords(text.trimStart(), columns - indent.length - 2).map((words, row) =>
          fit(`${indent}${row === 0 ? "" : "  "}${words}`, columns),
        ),
  );
};
