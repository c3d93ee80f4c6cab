import { basename, join } from "node:path";
import { globSync } from "glob";
import { importModule } from "../core/config/config-loader.ts";
import { listFaults } from "../core/config/config-faults.ts";
import { AppError, errorText, type Fault } from "../core/errors.ts";
import { isTask, type TaskDefinition } from "./define-task.ts";
import { Type } from "../core/schema.ts";

const Globs = Type.Array(Type.String({ minLength: 1 }));

/** What a task may declare, for whoever writes it in JavaScript or does not check types. */
const TaskSchema = Type.Object(
  {
    title: Type.String({ minLength: 1 }),
    name: Type.Optional(Type.String()),
    needs: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    lock: Type.Optional(Type.String({ minLength: 1 })),
    inputs: Type.Optional(Globs),
    outputs: Type.Optional(Globs),
    args: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_-]*$" }),
        Type.Object(
          {
            type: Type.Union([Type.Literal("string"), Type.Literal("number"), Type.Literal("boolean")]),
            description: Type.Optional(Type.String()),
            choices: Type.Optional(Type.Array(Type.String())),
            default: Type.Optional(Type.Unknown()),
            required: Type.Optional(Type.Boolean()),
          },
          { additionalProperties: false },
        ),
        { additionalProperties: false },
      ),
    ),
    // A timer of Node counts no further than 24 days.
    timeoutSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 604_800 })),
    retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    run: Type.Function([], Type.Unknown()),
  },
  { additionalProperties: false },
);

/** A task with its name and the file it stands in, relative to the project. */
export type Task = TaskDefinition & { name: string; file: string };

const NAME = /^[A-Za-z0-9][\w:-]*$/;
const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter, at: number) => `${at > 0 ? "-" : ""}${letter.toLowerCase()}`);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const tasksOf = (module: Readonly<Record<string, unknown>>, file: string): Task[] => {
  const own = nameOfFile(file);
  const { default: main = isTask(module) ? module : undefined, ...named } = module;
  const exported = [
    // `export default { build, test }` is what CommonJS and older files look like.
    ...(isObject(main) && !isTask(main) ? Object.entries(main) : [["default", main] as const]),
    ...Object.entries(named),
  ];
  // The same task under a second name (`export default build`) is no second task.
  return exported
    .filter(([, value], i) => exported.findIndex(([, other]) => other === value) === i)
    .flatMap(([key, value]) =>
      isTask(value) ? [{ ...value, name: value.name ?? (key === "default" ? own : kebab(key)), file }] : [],
    );
};

const fail = (faults: Fault[]): AppError =>
  new AppError(
    "config",
    `the tasks have ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faults.map(({ path, message }) => `  ${path}: ${message}`).join("\n")}`,
    { faults },
  );

/** The task scripts that a glob names, relative to the project; nothing is loaded. */
export const listTaskFiles = (root: string, pattern: string): string[] =>
  globSync(pattern, {
    cwd: root,
    nodir: true,
    posix: true,
    ignore: ["**/*.test.*", "**/*.d.ts", "**/node_modules/**"],
  }).sort();

/** What a task is called where its file says nothing else. */
export const nameOfFile = (file: string): string => basename(file).replace(/\.\w+$/, "");

/**
 * The tasks of a project: every `defineTask` that the files of a glob export.
 * @throws AppError `config` for files that cannot be read, export no task or a wrong one, or share a name
 */
export const loadTasks = async (root: string, pattern: string): Promise<Task[]> => {
  const files = listTaskFiles(root, pattern);
  const tasks: Task[] = [];
  const faults: Fault[] = [];
  for (const file of files) {
    try {
      const found = tasksOf(await importModule(join(root, file)), file);
      if (found.length === 0)
        faults.push({ path: file, message: "exports no task; export default defineTask({ title, run })" });
      for (const { file: _, ...task } of found)
        for (const { path, message } of listFaults(TaskSchema, task))
          faults.push({ path: file, message: `task ${JSON.stringify(task.name)}: ${path} ${message}` });
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
