export { AppError, type Fault } from "./core/errors.ts";
export type { ErrorCode } from "./core/error-codes.ts";
export type { AgentConfig } from "./core/config/agent-config.ts";
export { defineTask, type TaskContext, type TaskDefinition } from "./runner/define-task.ts";
export { defineConfig } from "./core/config/define-config.ts";
