import { parseArgs } from "node:util";
import { AppError, errorText, systemCode } from "../core/errors.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { TaskArgs } from "./define-task.ts";
import type { Task } from "./load-tasks.ts";

export type ArgValues = Record<string, string | number | boolean | undefined>;

/** How a task is called, with what it takes. */
export const describeArgs = ({ name, title, args = {} }: Task): string[] => {
  const rows = Object.entries(args).map(([key, spec]) => {
    const kind =
      spec.type === "boolean"
        ? ""
        : ` <${"choices" in spec && spec.choices ? spec.choices.join("|") : spec.type}>`;
    const extra =
      "default" in spec && spec.default !== undefined
        ? `(default ${spec.default})`
        : "required" in spec && spec.required
          ? "(required)"
          : "";
    const said = [spec.description, extra].filter(Boolean).join(" ");
    return `  ${`--${key}${kind}`.padEnd(28)} ${said}`.trimEnd();
  });
  return [
    title,
    "",
    `usage: nightshift run ${name}${rows.length > 0 ? " [arguments]" : ""}`,
    ...(rows.length > 0 ? ["", ...rows] : []),
  ];
};

const readValue = (
  name: string,
  raw: string,
  spec: Exclude<TaskArgs[string], { type: "boolean" }>,
): string | number => {
  if (spec.type === "number") {
    const value = Number(raw);
    if (raw.trim() === "" || !Number.isFinite(value))
      throw new AppError("usage", `--${name} is ${JSON.stringify(raw)}; it must be a number`);
    return value;
  }
  if (spec.choices && !spec.choices.includes(raw))
    throw new AppError(
      "usage",
      `--${name} is ${JSON.stringify(raw)}; it must be one of ${spec.choices.join(", ")}`,
    );
  return raw;
};

/** Names the option that is none, and the one that was probably meant. */
const describeUnknown = (words: readonly string[], known: readonly string[]): string => {
  const given = words.flatMap((word) => /^--?([^=]+)/.exec(word)?.[1] ?? []);
  const unknown = given.find((name) => !known.includes(name)) ?? "";
  const near = nearestName(unknown, known);
  const dashes = words.some((word) => word.startsWith(`--${unknown}`)) ? "--" : "-";
  return `unknown option ${dashes}${unknown}${near === undefined ? "" : `; did you mean --${near}?`}`;
};

/**
 * The arguments of a task, out of the words behind its name. `ownOptions` are the runner's, without dashes:
 * one of them may have been meant.
 * @throws AppError `usage` for an unknown, missing or unusable argument
 */
export const readArgs = (
  task: Task,
  words: readonly string[],
  ownOptions: readonly string[] = [],
): ArgValues => {
  const specs = task.args ?? {};
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { type }]) => [
      name,
      { type: type === "boolean" ? "boolean" : "string" } as const,
    ]),
  );
  let values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  try {
    ({ values } = parseArgs({ args: [...words], options, allowPositionals: false }));
  } catch (error) {
    const problem =
      systemCode(error) === "ERR_PARSE_ARGS_UNKNOWN_OPTION"
        ? describeUnknown(words, [...Object.keys(specs), ...ownOptions])
        : errorText(error).split(". ")[0];
    throw new AppError("usage", `${problem}\n${describeArgs(task).join("\n")}`);
  }
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => {
      const raw = values[name];
      if (spec.type === "boolean") return [name, raw === true];
      if (typeof raw === "string") return [name, readValue(name, raw, spec)];
      if (spec.required && spec.default === undefined)
        throw new AppError(
          "usage",
          `--${name} is missing${spec.description === undefined ? "" : `: ${spec.description}`}\n${describeArgs(task).join("\n")}`,
        );
      return [name, spec.default];
    }),
  );
};
