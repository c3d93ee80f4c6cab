import { relative } from "node:path";
import { plural } from "../../../core/plural.ts";
import { type CodeDecision, isInSession } from "../../../core/config/code-decision.ts";
import { findProjectRoot } from "../../../core/config/find-config.ts";
import { loadConfig } from "../../../core/config/load-config.ts";
import { AppError } from "../../../core/errors.ts";
import { applyFixes } from "../../../gates/apply-fixes.ts";
import { BASELINE_FILE, readBaseline, writeBaseline } from "../../../gates/baseline.ts";
import type { GateReport } from "../../../gates/gate.ts";
import { listProjectFiles } from "../../../core/list-files.ts";
import {
  FORMATS,
  fromRepository,
  githubReport,
  junitReport,
  type ReportFormat,
  sarifReport,
} from "../../../gates/report/machine.ts";
import { textReport } from "../../../gates/report/text.ts";
import { type GatePorts, type GateRun, runGates } from "../../../gates/run-gates.ts";
import { describeGate, selectGates } from "../../../gates/select-gates.ts";
import { defineCommand } from "../../command/define-command.ts";
import { readingOnly } from "../../command/read-config.ts";
import type { Reporter } from "../../command/reporter.ts";
import { table } from "../../command/table.ts";
import { hang } from "../../command/wrap-words.ts";
import { searchPastErrors } from "./search-past-errors.ts";

const print = (
  report: GateReport,
  { format, root }: { format: ReportFormat; root: string },
  reporter: Reporter,
): void => {
  if (reporter.isJson || format === "json") {
    const document = {
      ...report,
      gates: report.gates.map(({ output, ...gate }) =>
        output === undefined || gate.result === "pass" ? gate : { ...gate, output: output.slice(-8_000) },
      ),
    };
    if (reporter.isJson) reporter.json(document);
    else reporter.text(JSON.stringify(document));
    return;
  }
  const folder = relative(findProjectRoot(root), root).replaceAll("\\", "/");
  const reports: Record<Exclude<ReportFormat, "json">, (report: GateReport) => string> = {
    text: textReport,
    junit: junitReport,
    sarif: (found) => sarifReport(fromRepository(found, folder)),
    github: (found) => githubReport(fromRepository(found, folder)),
  };
  const lines = reports[format](report).split("\n");
  // Only for people: elsewhere a line is one problem.
  const isWrapped = format === "text" && reporter.isTerminal;
  for (const line of lines)
    for (const part of isWrapped ? hangLine(line, reporter.columns) : [line]) reporter.text(part);
};

/** A line of the report on a terminal; what a tool printed, indented or in columns, stays as it is. */
const hangLine = (line: string, columns: number): string[] => {
  const [, head = "", text = ""] = /^((?:error|warning) [^ ]+ |gates: )(.*)$/.exec(line) ?? [];
  return head === "" ? [line] : hang(head, text, columns);
};

export const gate = defineCommand({
  description:
    "Five gates are built in (types, uncommitted, any, todo, console); `gates` of agent.config.ts changes them and adds your own. Answers are cached by the content of the files a gate looks at. See docs/gates.md.",
  args: [
    {
      name: "id",
      description: "gates to run (all of them)",
      isOptional: true,
      isVariadic: true,
      complete: "gate",
    },
  ],
  options: {
    format: { type: "string", choices: FORMATS, default: "text", description: "how the report is written" },
    failFast: { type: "boolean", description: "stop the other gates at the first blocker" },
    noCache: { type: "boolean", description: "run every gate, even if its result is cached" },
    noBaseline: { type: "boolean", description: `count the problems that ${BASELINE_FILE} knows too` },
    updateBaseline: { type: "boolean", description: "record the present problems as known" },
    fix: { type: "boolean", description: "run the fix command of each failing gate, then the gates again" },
    list: { type: "boolean", description: "show the gates and run none" },
  },
  examples: [
    "nightshift gate",
    "nightshift gate types any --fail-fast",
    "nightshift gate --json",
    "nightshift gate --format github",
  ],
  run: async ({ args, options }, { cwd, env, signal, reporter }) => {
    // Typed by a person it is the decision itself; in a worker's session nobody watches.
    const decision: CodeDecision = options.list
      ? readingOnly({ env, note: reporter.note })
      : isInSession(env)
        ? { by: "record", env }
        : { by: "command" };
    const { config, root } = await loadConfig(cwd, decision);
    const gates = selectGates(config.gates ?? {}, { root, only: args.id });
    if (options.list) {
      const rows = gates.map(({ id, severity }) => ({
        id,
        severity,
        summary: describeGate(id, config.gates?.[id]),
      }));
      reporter.answer(
        rows,
        table(
          rows.map(({ id, severity, summary }) => [id, severity, summary]),
          reporter.columns,
        ),
      );
      return true;
    }
    const isQuiet = reporter.isJson || options.format !== "text" || !reporter.canRedraw;
    const ports: GatePorts = {
      env,
      signal,
      elapsed: () => performance.now(),
      searchPast: searchPastErrors(env, root),
      renderer: isQuiet ? "silent" : "default",
    };
    const isWriting = options.updateBaseline;
    const runAll = async (changed: Partial<GateRun> = {}): Promise<GateReport> =>
      runGates(ports, {
        root,
        gates,
        projectFiles: await listProjectFiles(root, env),
        baseline: isWriting || options.noBaseline ? {} : readBaseline(root),
        useCache: !options.noCache,
        failFast: options.failFast,
        ...changed,
      });
    let report = await runAll();
    if (options.fix && report.gates.some(({ result, fix }) => result === "fail" && fix !== undefined)) {
      await applyFixes(ports, {
        root,
        gates: report.gates,
        declared: config.gates ?? {},
        note: reporter.note,
      });
      report = await runAll();
    }
    if (signal.aborted)
      throw new AppError(
        "interrupted",
        "the gates were interrupted; nothing is known about those that were running",
      );
    if (isWriting) {
      const known = writeBaseline(report.gates, root, { isWhole: args.id.length === 0 });
      reporter.note(`${BASELINE_FILE}: ${plural(known, "known problem")}; commit it`);
      report = await runAll({ baseline: readBaseline(root), useCache: true, failFast: false });
    }
    print(report, { format: options.format, root }, reporter);
    return report.verdict === "pass";
  },
});
