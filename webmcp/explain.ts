import { compileOperation, readEnabled, withFlags } from "./compile-operation.ts";
import { createProblems, type Problems } from "./compile-problems.ts";
import type { CompileProblem } from "./errors.ts";
import { refuseTaken } from "./generate-tools.ts";
import { isObject, own } from "./json.ts";
import { checkVersion, listOperations } from "./operations.ts";
import { describeTool } from "./manifest.ts";
import type { GeneratedTool, OpenApiDocument } from "./types.ts";

/**
 * `tool`: enabled and compiles. `refused`: enabled and fails the build. `ready`: not enabled, would compile
 * with the flags. `unsupported`: not enabled, and more than the flags stands in its way.
 */
export type OperationState = "tool" | "refused" | "ready" | "unsupported";

export type ExplainedOperation = {
  /** Method and path. */
  operation: string;
  operationId?: string;
  state: OperationState;
  /** What would have to change, besides the flags. */
  problems: CompileProblem[];
  /** About what the tool adds to a model's context, at four characters a token. */
  tokens?: number;
};

export type Explanation = {
  operations: ExplainedOperation[];
  /** Problems of the document itself; with any of these no tool is generated. */
  documentProblems: CompileProblem[];
  /** What compiles but may surprise. */
  notes: string[];
  totals: Record<OperationState, number>;
};

/** Says of every operation of a document whether it is a tool, could be one, and what stands in its way. */
export const explainDocument = (document: OpenApiDocument): Explanation => {
  const problems = createProblems();
  checkVersion(document, problems);
  const owners = new Map<string, string>();
  const operations = listOperations(document, problems).map((place): ExplainedOperation => {
    const enabled = readEnabled(place.operation) !== false;
    const operation = enabled ? place.operation : withFlags(place.operation, place.method);
    const label = `${place.method} ${place.path}`;
    const mine: Problems = { ...problems, list: [], operation: label };
    const tool = compileOperation({ ...place, operation }, mine);
    if (tool !== undefined) {
      refuseTaken(tool.name, owners.get(tool.name), place.pointer, mine);
      owners.set(tool.name, label);
    }
    const operationId = own(place.operation, "operationId");
    const fine = mine.list.length === 0;
    return {
      operation: label,
      ...(typeof operationId === "string" ? { operationId } : {}),
      state: enabled ? (fine ? "tool" : "refused") : fine ? "ready" : "unsupported",
      problems: mine.list,
      ...(tool === undefined ? {} : { tokens: estimateTokens(tool) }),
    };
  });
  const totals = { tool: 0, refused: 0, ready: 0, unsupported: 0 };
  for (const { state } of operations) totals[state] += 1;
  return { operations, documentProblems: problems.list, notes: listNotes(document), totals };
};

const estimateTokens = (tool: GeneratedTool): number =>
  Math.ceil(JSON.stringify(describeTool(tool)).length / 4);

const listNotes = (document: OpenApiDocument): string[] => {
  const servers = own(document, "servers");
  const urls = (Array.isArray(servers) ? servers : []).map((server: unknown) =>
    isObject(server) ? String(own(server, "url")) : "",
  );
  const notes = urls
    .filter((url) => /^(https?:\/\/[^/]+)?\/[^/]/.test(url))
    .map(
      (url) =>
        `the server URL ${url} has a path: requests are built from the origin and the path template only`,
    );
  const paths = isObject(own(document, "paths")) ? (document.paths ?? {}) : {};
  for (const [path, item] of Object.entries(paths))
    if (isObject(item) && own(item, "$ref") !== undefined)
      notes.push(`${path} is a reference: the operations behind it are not looked into`);
  return notes;
};
