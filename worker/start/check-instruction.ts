import { AppError } from "../../core/errors.ts";

const MAX_TASK_CHARS = 1_000_000;

/** @throws AppError `usage` for a task that says nothing, or is longer than any prompt */
export const checkInstruction = (task: string): string => {
  if (task.trim() === "") throw new AppError("usage", "the task is empty; say what the worker is to do");
  if (task.length <= MAX_TASK_CHARS) return task;
  throw new AppError("usage", `the task must be at most ${MAX_TASK_CHARS} characters; it has ${task.length}`);
};
