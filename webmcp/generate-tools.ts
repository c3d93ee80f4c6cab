import { compileOperation, readEnabled } from "./compile-operation.ts";
import { createProblems, refuse, type Problems } from "./compile-problems.ts";
import { WebMcpCompileError } from "./errors.ts";
import { checkVersion, listOperations } from "./operations.ts";
import type { GeneratedTool, OpenApiDocument } from "./types.ts";

/**
 * Compiles every operation with `x-webmcp-enabled: true` into a tool, in the order of the document.
 * @throws WebMcpCompileError with every problem of every enabled operation, when there is one. An operation
 * that is not enabled never fails the build.
 */
export const generateTools = (document: OpenApiDocument): GeneratedTool[] => {
  const problems = createProblems();
  checkVersion(document, problems);
  const tools: GeneratedTool[] = [];
  const owners = new Map<string, string>();
  for (const place of listOperations(document, problems)) {
    if (readEnabled(place.operation) === false) continue;
    const label = `${place.method} ${place.path}`;
    const mine: Problems = { ...problems, operation: label };
    const tool = compileOperation(place, mine);
    if (tool === undefined) continue;
    refuseTaken(tool.name, owners.get(tool.name), place.pointer, mine);
    owners.set(tool.name, label);
    tools.push(tool);
  }
  if (problems.list.length > 0) throw new WebMcpCompileError(problems.list);
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
