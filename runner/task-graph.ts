import { AppError } from "../core/errors.ts";
import { docsPage } from "../core/version.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { Task } from "./load-tasks.ts";

const findCycle = (tasks: ReadonlyMap<string, Task>): string[] | undefined => {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): string[] | undefined => {
    const at = path.indexOf(name);
    if (at >= 0) return [...path.slice(at), name];
    if (done.has(name)) return undefined;
    for (const need of tasks.get(name)?.needs ?? []) {
      const cycle = visit(need, [...path, name]);
      if (cycle) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of tasks.keys()) {
    const cycle = visit(name, []);
    if (cycle) return cycle;
  }
  return undefined;
};

/**
 * Checks that every need exists and that nothing needs itself.
 * @throws AppError `config` with the file and the need, or with the whole cycle
 */
export const checkGraph = (tasks: readonly Task[]): void => {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const names = [...byName.keys()];
  const faults = tasks.flatMap(({ name, file, needs = [] }) =>
    needs
      .filter((need) => !byName.has(need))
      .map((need) => {
        const near = nearestName(need, names);
        return {
          path: file,
          message: `task ${name} needs ${JSON.stringify(need)}, which no file exports; ${near ? `did you mean ${JSON.stringify(near)}?` : `there are: ${names.join(", ")}`}`,
        };
      }),
  );
  if (faults.length > 0)
    throw new AppError("config", faults.map(({ path, message }) => `${path}: ${message}`).join("\n"), {
      faults,
    });
  const cycle = findCycle(byName);
  if (cycle)
    throw new AppError(
      "config",
      `tasks need each other in a circle: ${cycle.join(" -> ")}; take one of these needs out`,
    );
};

/**
 * The tasks that must run for the wanted ones, needs before those that need them.
 * @throws AppError `usage` for a name that no task has
 */
export const planTasks = (tasks: readonly Task[], wanted: readonly string[]): Task[] => {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const planned = new Map<string, Task>();
  const add = (name: string): void => {
    const task = byName.get(name);
    if (!task) {
      const near = nearestName(name, [...byName.keys()]);
      const known =
        byName.size === 0
          ? `there are none yet; see ${docsPage("tasks.md")}`
          : `there are: ${[...byName.keys()].join(", ")}`;
      throw new AppError(
        "usage",
        `no task ${JSON.stringify(name)}; ${near ? `did you mean ${near}?` : known}`,
      );
    }
    if (planned.has(name)) return;
    for (const need of task.needs ?? []) add(need);
    planned.set(name, task);
  };
  for (const name of wanted) add(name);
  return [...planned.values()];
};

/** The plan as lines: what runs side by side stands on one level. */
export const describePlan = (plan: readonly Task[]): string[] => {
  const level = new Map<string, number>();
  for (const { name, needs = [] } of plan)
    level.set(name, Math.max(0, ...needs.map((need) => (level.get(need) ?? 0) + 1)));
  return plan
    .toSorted((a, b) => (level.get(a.name) ?? 0) - (level.get(b.name) ?? 0))
    .map((task) => {
      const notes = [
        task.needs && task.needs.length > 0 ? `after ${task.needs.join(", ")}` : "",
        task.lock ? `lock ${task.lock}` : "",
        task.inputs ? "cached by its inputs" : "",
      ].filter((note) => note !== "");
      return `${(level.get(task.name) ?? 0) + 1}  ${task.name.padEnd(18)} ${task.title}${notes.length > 0 ? `  (${notes.join("; ")})` : ""}`;
    });
};
