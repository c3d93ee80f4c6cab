import { explainDocument, type ExplainedOperation, type Explanation } from "../../../webmcp/index.ts";
import { defineCommand } from "../../command/define-command.ts";
import type { Style } from "../../command/style.ts";
import { DOCUMENT_ARGUMENT, loadDocument } from "./load-document.ts";

const STATES = {
  tool: "enabled, and a tool",
  refused: "enabled, and fails the build",
  ready: "not enabled; would be a tool with the flags",
  unsupported: "not enabled; needs more than the flags",
} as const;

export const webmcpExplain = defineCommand({
  description:
    "Each problem comes with its place in the document and the smallest edit that takes it away. Exits 1 when an enabled operation fails the build.",
  args: [DOCUMENT_ARGUMENT],
  options: {
    state: {
      type: "string",
      description: "Show only operations in this state",
      choices: ["tool", "refused", "ready", "unsupported"],
      placeholder: "state",
    },
  },
  examples: [
    "nightshift webmcp explain openapi.yaml",
    "nightshift webmcp explain openapi.json --state refused",
  ],
  run: async ({ args, options }, { cwd, reporter, signal }) => {
    const document = await loadDocument(args.openapi, cwd, signal);
    const explanation = explainDocument(document);
    const shown = explanation.operations.filter(({ state }) => (options.state ?? state) === state);
    reporter.answer({ ...explanation, operations: shown }, describe(explanation, shown, reporter.style));
    const { documentProblems, totals } = explanation;
    return documentProblems.length === 0 && totals.refused === 0;
  },
});

const describe = (
  { operations, documentProblems, notes, totals }: Explanation,
  shown: readonly ExplainedOperation[],
  style: Style,
): string[] => {
  const counts = Object.entries(STATES).map(
    ([state, meaning]) =>
      `${String(totals[state as keyof typeof STATES]).padStart(5)} ${state.padEnd(12)} ${meaning}`,
  );
  const problems = documentProblems.map(
    ({ pointer, message, fix }) => `${style.red("document")} ${pointer}: ${message}. ${fix}.`,
  );
  return [
    `${operations.length} operations`,
    ...counts,
    ...problems,
    ...notes.map((note) => `${style.yellow("note")} ${note}`),
    ...shown.flatMap((operation) => describeOperation(operation, style)),
  ];
};

const describeOperation = (
  { operation, operationId, state, problems, tokens }: ExplainedOperation,
  style: Style,
): string[] => {
  const colour = { tool: style.green, refused: style.red, ready: style.green, unsupported: style.dim }[state];
  const size = tokens === undefined ? "" : style.dim(` about ${tokens} tokens`);
  return [
    "",
    `${colour(state.padEnd(12))} ${operation}${operationId === undefined ? "" : ` (${operationId})`}${size}`,
    ...problems.flatMap(({ pointer, message, fix }) => [
      `  ${message}. ${fix}.`,
      style.dim(`    ${pointer}`),
    ]),
  ];
};
