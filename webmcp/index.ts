export { buildRequest, validateInput } from "./build-request.ts";
export { createWebMcpCompanion, type WebMcpCompanion, type WebMcpCompanionOptions } from "./companion.ts";
export { WebMcpCompileError, WebMcpInputError, type CompileProblem, type InputFault } from "./errors.ts";
export {
  explainDocument,
  type ExplainedOperation,
  type Explanation,
  type OperationState,
} from "./explain.ts";
export { generateTools } from "./generate-tools.ts";
export { injectWebMcpBootstrap } from "./inject-bootstrap.ts";
export { checkLock, lockTools, type ToolDrift, type ToolLock } from "./lock.ts";
export { readOriginTrialToken, type OriginTrialToken } from "./origin-trial.ts";
export { generateStaticWebMcp, type StaticWebMcp, type StaticWebMcpOptions } from "./static-site.ts";
export { watchToolCalls, type ModelContextEvents, type ToolEvent } from "./tool-events.ts";
export type {
  GeneratedTool,
  JsonSchema,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  ToolAnnotations,
  ToolDescriptor,
  ToolOperation,
} from "./types.ts";
