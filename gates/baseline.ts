import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeFileDurably } from "../core/durable-file.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { AppError } from "../core/errors.ts";
import { type Static, Type, Value } from "../core/schema.ts";
import type { Finding, GateOutcome } from "./gate.ts";

const BASELINE = Type.Record(Type.String(), Type.Record(Type.String(), Type.Number()));

/** Known problems: gate id -> fingerprint -> how many of them. Committed beside the project's gates. */
export type Baseline = Static<typeof BASELINE>;

export const BASELINE_FILE = "gates/baseline.json";

/** A problem without its line number: it stays known when code above it moves. */
const fingerprint = (root: string, { file, line, message }: Finding): string => {
  const text = line > 0 ? (readFileIfThere(join(root, file))?.split("\n")[line - 1]?.trim() ?? "") : "";
  return createHash("sha256").update(`${file}\0${message}\0${text}`).digest("hex").slice(0, 16);
};

/** @throws AppError `bad-data` when the file is there and is no baseline */
export const readBaseline = (root: string): Baseline => {
  const text = readFileIfThere(join(root, BASELINE_FILE));
  if (text === undefined) return {};
  let baseline: unknown;
  try {
    baseline = JSON.parse(text);
  } catch (error) {
    throw new AppError(
      "bad-data",
      `${BASELINE_FILE} is not JSON; make it again: nightshift gate --update-baseline`,
      { cause: error },
    );
  }
  if (!Value.Check(BASELINE, baseline))
    throw new AppError(
      "bad-data",
      `${BASELINE_FILE} holds no known problems by gate; make it again: nightshift gate --update-baseline`,
    );
  return baseline;
};

/** Takes out of an outcome what the baseline knows; nothing new left means that the gate passes. */
export const applyBaseline = (outcome: GateOutcome, baseline: Baseline, root: string): GateOutcome => {
  const left = Object.hasOwn(baseline, outcome.id) ? { ...baseline[outcome.id] } : {};
  if (outcome.result !== "fail" || Object.keys(left).length === 0) return outcome;
  const fresh = outcome.findings.filter((finding) => {
    const mark = fingerprint(root, finding);
    const known = (left[mark] ?? 0) > 0;
    if (known) left[mark] = (left[mark] ?? 0) - 1;
    return !known;
  });
  const known = outcome.findings.length - fresh.length;
  if (known === 0) return outcome;
  const { output, ...rest } = outcome;
  if (fresh.length === 0) return { ...rest, result: "pass", findings: [], known };
  return { ...rest, findings: fresh, known, ...(output === undefined ? {} : { output }) };
};

/** What is kept of the old one: what is known of gates that did not run this time. One that is none counts for nothing. */
const keptEntries = (
  root: string,
  { gates, isWhole }: { gates: readonly GateOutcome[]; isWhole: boolean },
): Baseline => {
  let old: Baseline;
  try {
    old = readBaseline(root);
  } catch {
    return {};
  }
  const result = new Map(gates.map((gate) => [gate.id, gate.result]));
  return Object.fromEntries(
    Object.entries(old).filter(([id]) => (result.has(id) ? result.get(id) === "none" : !isWhole)),
  );
};

/**
 * Writes every problem of a report down as known. Problems without a file (a timeout, an exit code) are not.
 * @param isWhole all gates ran, not only some that were asked for: what others are known for goes
 */
export const writeBaseline = (
  gates: readonly GateOutcome[],
  root: string,
  { isWhole = true }: { isWhole?: boolean } = {},
): number => {
  const baseline: Baseline = keptEntries(root, { gates, isWhole });
  let count = 0;
  for (const { id, findings, result } of gates) {
    if (result !== "fail" || id === "uncommitted") continue;
    const marks: Record<string, number> = {};
    for (const finding of findings.filter(({ file }) => file !== "")) {
      const mark = fingerprint(root, finding);
      marks[mark] = (marks[mark] ?? 0) + 1;
      count += 1;
    }
    if (Object.keys(marks).length > 0) baseline[id] = marks;
  }
  writeFileDurably(join(root, BASELINE_FILE), `${JSON.stringify(baseline, undefined, 2)}\n`);
  return count;
};
