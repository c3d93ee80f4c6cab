import { parseJson } from "../../core/parse-json.ts";
/** One thing that a reviewer found. */
export type Finding = { file: string; line: number; severity: "blocker" | "remark"; message: string };

const MOST_FINDINGS = 50;

const isFinding = (value: unknown): value is Finding => {
  const { file, line, severity, message } = (value ?? {}) as Partial<Finding>;
  return (
    typeof file === "string" &&
    Number.isInteger(line) &&
    (severity === "blocker" || severity === "remark") &&
    typeof message === "string" &&
    message.trim() !== ""
  );
};

/** The findings of the last line that is a list of them; undefined where none is, or one has another shape. */
export const readFindings = (text: string): Finding[] | undefined => {
  const line = text
    .split("\n")
    .map((one) => one.trim())
    .findLast((one) => one.startsWith("{") && one.endsWith("}"));
  const { findings } = (parseJson(line ?? "") ?? {}) as { findings?: unknown };
  if (!Array.isArray(findings) || findings.length > MOST_FINDINGS || !findings.every(isFinding))
    return undefined;
  return findings.map(({ file, line: at, severity, message }) => ({
    file,
    line: at,
    severity,
    message: message.slice(0, 1_000),
  }));
};
