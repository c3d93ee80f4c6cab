import { plural } from "../../core/plural.ts";
import { blocks, type Finding, type GateOutcome, type GateReport } from "../gate.ts";

/** Characters of a report that is made for a prompt. */
export const REPORT_BUDGET = 6_000;
const OUTPUT_SHARE = 0.5;
/** A tool that prints a whole file on one line must not take the place of every other problem. */
const MOST_OF_A_LINE = 400;

const shorten = (line: string): string =>
  line.length > MOST_OF_A_LINE ? `${line.slice(0, MOST_OF_A_LINE)} […]` : line;

/** What a line about a finding begins with. */
export const place = ({ file, line }: Finding): string =>
  file === "" ? "" : line > 0 ? `${file}:${line}: ` : `${file}: `;

/** The report in one line. */
export const summary = ({ verdict, gates }: GateReport): string => {
  const blockers = gates.filter(blocks);
  const warnings = gates.filter((gate) => gate.result === "fail" && !blocks(gate));
  const passes = gates.filter(({ result }) => result === "pass");
  const silent = gates.filter((gate) => gate.result === "none" && !blocks(gate));
  const named = (some: readonly GateOutcome[], noun: string): string =>
    some.length > 0 ? `${plural(some.length, noun)} (${some.map(({ id }) => id).join(", ")})` : "";
  const parts = [
    named(blockers, "blocker"),
    named(warnings, "warning"),
    passes.length > 0
      ? `${passes.length} passed (${passes.map(({ id, cached }) => (cached ? `${id}, cached` : id)).join("; ")})`
      : "",
    silent.length > 0
      ? `no check ran: ${silent.map(({ id, reason }) => `${id} (${reason ?? "unknown"})`).join("; ")}`
      : "",
  ].filter((part) => part !== "");
  const word = verdict === "pass" ? "healthy" : verdict === "fail" ? "blocked" : "NO CHECK RAN";
  return parts.length > 0 ? `gates: ${word}; ${parts.join("; ")}` : `gates: ${word}`;
};

const findingLines = (gate: GateOutcome): string[] => {
  const word = blocks(gate) ? "error" : "warning";
  const lines = gate.findings.map((finding) => `${word} ${gate.id}: ${place(finding)}${finding.message}`);
  if (gate.couldNotRun) lines.unshift(`${word} ${gate.id}: no check ran: ${gate.reason ?? "unknown"}`);
  return lines.map(shorten);
};

/** The end of what a tool printed, where runners put their summaries. */
export const tailOf = (output: string, budget: number): string => {
  const text = output.trim();
  if (text.length <= budget) return text;
  const tail = text.slice(-budget);
  return `[… ${text.length - budget} characters cut …]\n${tail.slice(tail.indexOf("\n") + 1)}`;
};

const remedies = (gates: readonly GateOutcome[]): string[] =>
  gates
    .filter(({ result, fix }) => result === "fail" && fix !== undefined)
    .map(({ id, fix }) => `fix ${id}: ${fix} (or: nightshift gate ${id} --fix)`);

/** As many lines as fit, each kind of problem getting its turn; what is left out is counted. */
const takeFairly = (lists: readonly string[][], budget: number): string[] => {
  const taken: string[][] = lists.map(() => []);
  let used = 0;
  let left = 0;
  const most = Math.max(0, ...lists.map(({ length }) => length));
  for (let i = 0; i < most; i += 1)
    for (const [n, list] of lists.entries()) {
      const line = list[i];
      if (line === undefined) continue;
      if (used + line.length + 1 > budget) left += 1;
      else {
        taken[n]?.push(line);
        used += line.length + 1;
      }
    }
  const lines = taken.flat();
  return left > 0 ? [...lines, `… and ${left} more; all of them: nightshift gate --json`] : lines;
};

/** The report as text: what is wrong first, blockers before warnings, within a budget made for prompts. */
export const textReport = (report: GateReport, budget = REPORT_BUDGET): string => {
  const { gates, past } = report;
  const blockers = gates.filter(blocks);
  const warnings = gates.filter((gate) => gate.result === "fail" && !blocks(gate));
  const head = takeFairly(blockers.map(findingLines), budget * OUTPUT_SHARE);
  const rest = takeFairly(warnings.map(findingLines), budget * 0.15);
  const known = gates
    .filter((gate) => (gate.known ?? 0) > 0)
    .map(({ id, known: n }) => `${id}: ${plural(n ?? 0, "known problem")} left out by gates/baseline.json`);
  const lines = [summary(report), ...head, ...rest, ...known, ...remedies(gates)];
  if (past !== undefined)
    lines.push("", "past conversations about the first type error:", past.slice(0, 900));
  let room = budget - lines.join("\n").length;
  for (const gate of blockers) {
    const isSaid = gate.findings.length > 0 && gate.findings.every(({ file }) => file !== "");
    if (gate.output === undefined || gate.output.trim() === "" || isSaid || room < 300) continue;
    const tail = tailOf(gate.output, room - 60);
    lines.push("", `output of ${gate.id}:`, tail);
    room -= tail.length + 40;
  }
  return lines.join("\n");
};
