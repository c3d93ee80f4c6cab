import { join } from "node:path";
import { type CodeDecision, mayRun } from "../../core/config/code-decision.ts";
import type { AgentConfig } from "../../core/config/agent-config.ts";
import { findProjectRoot } from "../../core/config/find-config.ts";
import { listTaskFiles, loadTasks, nameOfFile, type Task } from "../../runner/load-tasks.ts";

export const TASK_GLOB = "tasks/*.ts";

/** What a list shows of a task. */
export type TaskView = Pick<Task, "name" | "file"> & { title: string; needs?: readonly string[] };

/** A project's tasks for a command that only reads: of scripts that nobody trusted only the names of their files. */
export const readTasks = async (
  decision: CodeDecision,
  { config, root }: { config: AgentConfig; root: string },
): Promise<{ tasks: TaskView[]; loaded: readonly Task[] | undefined }> => {
  const pattern = config.tasks ?? TASK_GLOB;
  const files = listTaskFiles(root, pattern);
  const entries = files.map((file) => join(root, file));
  if (await mayRun(decision, { root: findProjectRoot(root), entries })) {
    const loaded = await loadTasks(root, pattern);
    return { tasks: loaded, loaded };
  }
  return { tasks: files.map((file) => ({ name: nameOfFile(file), title: file, file })), loaded: undefined };
};
