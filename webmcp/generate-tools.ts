import { compileOperation, readEnabled } from "./compile-operation.ts";
import { createProblems, refuse, type Problems } from "./compile-problems.ts";
import { WebMcpCompileError } from "./errors.ts";
import { own } from "./json.ts";
import { checkVersion, listOperations } from "./operations.ts";
import type { GeneratedTool, OpenApiDocument } from "./types.ts";

/**
 * Compiles every operation with `x-webmcp-enabled: true` into a tool, by path and then by method, in whatever
 * order the document has them.
 * @throws WebMcpCompileError with every problem of every enabled operation, when there is one. An operation
 * that is not enabled never fails the build.
 */
export const generateTools = (document: OpenApiDocument): GeneratedTool[] => {
  const problems = createProblems();
  const tools = compileTools(document, problems);
  if (problems.list.length > 0) throw new WebMcpCompileError(problems.list);
  return tools;
};

/** Compiles what can be compiled; everything that is wrong with the document goes to `problems`. */
export const compileTools = (document: OpenApiDocument, problems: Problems): GeneratedTool[] => {
  checkVersion(document, problems);
  const tools: GeneratedTool[] = [];
  const owners = new Map<string, string>();
  for (const place of listOperations(document, problems)) {
    if (readEnabled(place.operation) === false) continue;
    const label = `${place.method} ${place.path}`;
    const mine: Problems = { ...problems, operation: label };
    const tool = compileOperation(place, mine);
    const name = own(place.operation, "operationId");
    if (typeof name === "string") {
      refuseTaken(name, owners.get(name), place.pointer, mine);
      owners.set(name, label);
    }
    if (tool !== undefined) tools.push(tool);
  }
  return tools;
};

/** Two tools of one name: a browser would keep only the first. */
export const refuseTaken = (
  name: string,
  owner: string | undefined,
  pointer: string,
  problems: Problems,
): void => {
  if (owner === undefined) return;
  refuse(problems, {
    pointer: `${pointer}/operationId`,
    rule: "duplicate-name",
    message: `the operationId ${name} already belongs to ${owner}`,
    fix: "Give one of them another operationId",
  });
};
