import { redactSecrets } from "../../core/redaction.ts";

/** The first line of a task, cut to a width, with secrets out: what lists show. */
export const instructionTitle = (task: string, width = 60): string => {
  const line = redactSecrets(task.trim().split("\n")[0] ?? "");
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
};
