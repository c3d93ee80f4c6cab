import type { Report, WorkerReport } from "../../../worker/report/report.ts";
import { describeLedger } from "../../../sandbox/network/describe-ledger.ts";
import { reasonLine } from "../../../verdict/describe-verdict.ts";
import { figuresText, noticesOf, totalsText } from "./report-text.ts";

/** What others wrote must not become a heading, a link or a tag of the report. */
const plain = (text: string): string => text.replaceAll(/[\\`*_[\]<>#|]/g, String.raw`\$&`);

/** A fence that the text inside it cannot close. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
};

const section = (worker: WorkerReport): string[] => [
  `## ${plain(worker.name)}: ${worker.outcome}`,
  "",
  ...(worker.why === "" ? [] : [`${plain(worker.why)}.`, ""]),
  `- ${figuresText(worker)}`,
  `- ${plain(noticesOf(worker).join(" · "))}`,
  `- ${plain(worker.agent)}${worker.model === undefined ? "" : `, model ${plain(worker.model)}`}, in ${plain(worker.dir)}`,
  ...worker.commits.map((commit) => `- commit ${plain(commit)}`),
  ...worker.rescued.map((ref) => `- rescued work: ${plain(ref)}`),
  ...worker.remarks.map((remark) => `- ${plain(remark)}`),
  ...(worker.verdict?.reasons ?? []).map((reason) => `- ${reason.weight}: ${plain(reasonLine(reason))}`),
  ...describeLedger(worker.calls).map((line) => `- network: ${plain(line)}`),
  ...(worker.note === undefined ? [] : ["", fenced(worker.note)]),
  "",
  `Next: \`${worker.next}\``,
  "",
];

/** The report as Markdown, for an issue, a chat or a mail. */
export const reportMarkdown = (report: Report): string =>
  [
    "# Workers",
    "",
    `${report.since === undefined ? "" : `From ${report.since} to ${report.at}. `}${totalsText(report)}`,
    "",
    ...report.workers.flatMap(section),
  ]
    .join("\n")
    .trimEnd();
