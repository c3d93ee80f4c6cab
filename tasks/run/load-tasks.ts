import { basename, join } from "node:path";
import { globSync } from "glob";
import { loadModule } from "../../core/config/config-loader.ts";
import { AppError, errorText, type Fault } from "../../core/errors.ts";
import { isTask, type TaskDefinition } from "./define-task.ts";

/** A task with its name and the file it stands in, relative to the project. */
export type Task = TaskDefinition & { name: string; file: string };

const NAME = /^[A-Za-z0-9][\w:-]*$/;
const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter, at: number) => `${at > 0 ? "-" : ""}${letter.toLowerCase()}`);

const tasksOf = (module: unknown, file: string): Task[] => {
  const own = basename(file).replace(/\.\w+$/, "");
  if (isTask(module)) return [{ ...module, name: module.name ?? own, file }];
  if (typeof module !== "object" || module === null) return [];
  return Object.entries(module).flatMap(([key, value]) =>
    isTask(value) ? [{ ...value, name: value.name ?? (key === "default" ? own : kebab(key)), file }] : [],
  );
};

const fail = (faults: Fault[]): AppError =>
  new AppError(
    "config",
    `the tasks have ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faults.map(({ path, message }) => `  ${path}: ${message}`).join("\n")}`,
    { faults },
  );

/**
 * The tasks of a project: every `defineTask` that the files of a glob export.
 * @throws AppError `config` for files that cannot be read, export no task, or share a name
 */
export const loadTasks = async (root: string, pattern: string): Promise<Task[]> => {
  const files = globSync(pattern, {
    cwd: root,
    nodir: true,
    posix: true,
    ignore: ["**/*.test.*", "**/*.d.ts", "**/node_modules/**"],
  }).sort();
  const tasks: Task[] = [];
  const faults: Fault[] = [];
  for (const file of files) {
    try {
      const found = tasksOf(await loadModule(join(root, file), ""), file);
      if (found.length === 0)
        faults.push({ path: file, message: "exports no task; export default defineTask({ title, run })" });
      tasks.push(...found);
    } catch (error) {
      faults.push({ path: file, message: `cannot be read: ${errorText(error)}` });
    }
  }
  for (const [i, { name, file }] of tasks.entries()) {
    const first = tasks.slice(0, i).find((task) => task.name === name);
    if (first)
      faults.push({
        path: file,
        message: `the name ${JSON.stringify(name)} is taken by ${first.file}; rename one of them`,
      });
    if (!NAME.test(name))
      faults.push({
        path: file,
        message: `${JSON.stringify(name)} is not a usable name; use letters, digits, "-", "_" and ":"`,
      });
  }
  if (faults.length > 0) throw fail(faults);
  return tasks;
};
