import type { Shell } from "zx";
import { AppError } from "../core/errors.ts";
import type { Task } from "./load-tasks.ts";
import type { ArgValues } from "./task-args.ts";

/** A task's shell that refuses a value which is not there; zx runs the command with the word "undefined" in it. */
export const requireValues = (shell: Shell, task: Task, args: ArgValues): Shell =>
  new Proxy(shell, {
    apply: (target, self, [first, ...values]: [unknown, ...unknown[]]) => {
      const isCommand = Array.isArray(first);
      if (isCommand && values.includes(undefined))
        throw new AppError("usage", describeMissing(task, args, first.join("…")));
      const made: unknown = Reflect.apply(target, self, [first, ...values]);
      return isCommand ? made : requireValues(made as Shell, task, args);
    },
  });

const describeMissing = ({ name }: Task, args: ArgValues, command: string): string => {
  const missing = Object.keys(args).filter((key) => args[key] === undefined);
  const [first] = missing;
  return first === undefined
    ? `task ${name}: a value in the command "${command}" is undefined; correct the task's script`
    : `task ${name}: the command "${command}" needs ${missing.map((key) => `--${key}`).join(" or ")}, which was not given; run: nightshift run ${name} --${first} <value>, or declare a default, or required: true, in the task's script`;
};
