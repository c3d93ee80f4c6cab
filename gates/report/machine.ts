import { createHash } from "node:crypto";
import { posix } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { plural } from "../../core/plural.ts";
import type { Finding, GateOutcome, GateReport } from "../gate.ts";
import { place, summary, tailOf } from "./text.ts";

export const FORMATS = ["text", "json", "junit", "sarif", "github"] as const;
export type ReportFormat = (typeof FORMATS)[number];

const xml = (text: string): string =>
  text
    // XML 1.0 has no place for control characters, escaped or not.
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

const OUTPUT_CHARS = 4_000;

/** What a failed gate's tool printed last, in plain characters; "" where it said nothing. */
const outputOf = ({ result, output }: GateOutcome): string =>
  result === "fail" && output !== undefined
    ? tailOf(stripVTControlCharacters(output).replaceAll("\r", ""), OUTPUT_CHARS)
    : "";

const isFailure = ({ severity, result }: GateOutcome): boolean => severity === "block" && result === "fail";

/** JUnit XML: a gate is a test case; a gate that never ran is skipped, or an error where it had to run. */
export const junitReport = ({ gates }: GateReport): string => {
  const cases = gates.map((gate) => {
    const { id, durationMs, findings, result, reason, couldNotRun, severity } = gate;
    const output = outputOf(gate);
    const text = findings
      .map((finding) => `${place(finding)}${finding.message}`)
      .concat(output === "" ? [] : ["", output])
      .join("\n");
    const body = isFailure(gate)
      ? `<failure message="${xml(plural(findings.length, "problem"))}">${xml(text)}</failure>`
      : couldNotRun && severity === "block"
        ? `<error message="${xml(reason ?? "could not run")}"/>`
        : result === "none"
          ? `<skipped message="${xml(reason ?? "no check ran")}"/>`
          : result === "fail"
            ? `<system-out>${xml(`warning\n${text}`)}</system-out>`
            : "";
    return `    <testcase classname="gates" name="${xml(id)}" time="${(durationMs / 1000).toFixed(3)}">${body}</testcase>`;
  });
  const failures = gates.filter(isFailure).length;
  const errors = gates.filter(({ couldNotRun, severity }) => couldNotRun && severity === "block").length;
  const skipped = gates.filter(({ result }) => result === "none").length - errors;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites>`,
    `  <testsuite name="nightshift gates" tests="${gates.length}" failures="${failures}" errors="${errors}" skipped="${skipped}">`,
    ...cases,
    `  </testsuite>`,
    `</testsuites>`,
  ].join("\n");
};

const withOutput = (message: string, gate: GateOutcome): string => {
  const output = outputOf(gate);
  return output === "" ? message : `${message}\n\n${output}`;
};

const levelOf = ({ severity }: GateOutcome): "error" | "warning" =>
  severity === "block" ? "error" : "warning";

/**
 * Places as GitHub and code scanning know them: from the top of the repository, where the project is a folder
 * of it.
 */
export const fromRepository = (report: GateReport, folder: string): GateReport => {
  const atRoot = (finding: Finding): Finding =>
    finding.file === "" ? finding : { ...finding, file: posix.join(folder, finding.file) };
  return { ...report, gates: report.gates.map((gate) => ({ ...gate, findings: gate.findings.map(atRoot) })) };
};

/** SARIF 2.1.0, as GitHub code scanning takes it. */
export const sarifReport = ({ gates, verdict }: GateReport): string => {
  const results = gates.flatMap((gate) =>
    gate.findings.map((finding) => ({
      ruleId: gate.id,
      level: levelOf(gate),
      message: { text: finding.file === "" ? withOutput(finding.message, gate) : finding.message },
      locations:
        finding.file === ""
          ? []
          : [
              {
                physicalLocation: {
                  artifactLocation: {
                    uri: finding.file.split("/").map(encodeURIComponent).join("/"),
                    uriBaseId: "%SRCROOT%",
                  },
                  region: { startLine: Math.max(1, finding.line) },
                },
              },
            ],
    })),
  );
  const notRun = gates.filter(({ result }) => result === "none");
  return JSON.stringify(
    {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "nightshift-gates", rules: gates.map(({ id }) => ({ id, name: id })) } },
          invocations: [
            {
              executionSuccessful: verdict !== "none" && !gates.some(({ couldNotRun }) => couldNotRun),
              toolExecutionNotifications: notRun.map(({ id, reason }) => ({
                level: "warning",
                message: { text: `${id}: no check ran: ${reason ?? "unknown"}` },
              })),
            },
          ],
          results,
        },
      ],
    },
    undefined,
    2,
  );
};

export const escapeData = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
export const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** The output of a failed gate, folded. What a tool prints is no command, whatever it looks like. */
const outputGroup = (gate: GateOutcome): string[] => {
  const output = outputOf(gate);
  if (output === "") return [];
  const token = createHash("sha256").update(`${gate.id}\0${gate.output}`).digest("hex");
  return [
    `::group::output of gate ${escapeData(gate.id)}`,
    `::stop-commands::${token}`,
    output,
    `::${token}::`,
    "::endgroup::",
  ];
};

/** GitHub Actions annotations: one command a line, shown beside the code of the pull request; the summary last. */
export const githubReport = (report: GateReport): string => {
  const { gates, verdict } = report;
  const lines = gates.flatMap((gate) => {
    const title = escapeProperty(`gate ${gate.id}`);
    const found = gate.findings.map((finding) => {
      const where =
        finding.file === ""
          ? ""
          : `file=${escapeProperty(finding.file)},${finding.line > 0 ? `line=${finding.line},` : ""}`;
      return `::${levelOf(gate)} ${where}title=${title}::${escapeData(finding.message)}`;
    });
    if (gate.result !== "none") return [...found, ...outputGroup(gate)];
    const level = gate.couldNotRun && gate.severity === "block" ? "error" : "notice";
    return [`::${level} title=${title}::${escapeData(`no check ran: ${gate.reason ?? "unknown"}`)}`];
  });
  if (verdict === "none") lines.push("::error title=gates::no check ran, so nothing is known");
  return [...lines, summary(report)].join("\n");
};
