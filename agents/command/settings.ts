import { AppError } from "../../core/errors.ts";
import type { AgentSettings, SessionRequest } from "../driver.ts";

/** How the `command` driver talks to its program; everything beside `command` has a default. */
export type CommandSettings = {
  command: string;
  args: readonly string[];
  /** `text`: stdout is what the agent says. `jsonl`: both sides speak the protocol of docs/agents.md. */
  protocol: "text" | "jsonl";
  /** where a `text` program gets its prompt; as an argument it replaces `{prompt}`, or comes last */
  prompt: "stdin" | "argument";
};

const oneOf = <Choice extends string>(
  settings: AgentSettings,
  key: string,
  choices: readonly [Choice, ...Choice[]],
): Choice => {
  const value = settings[key] ?? choices[0];
  const found = choices.find((choice) => choice === value);
  if (found === undefined)
    throw new AppError(
      "config",
      `agents.command.${key} is ${JSON.stringify(value)}; it can be ${choices.join(" or ")}`,
    );
  return found;
};

export const commandSettings = (settings: AgentSettings): CommandSettings => {
  if (!settings.command)
    throw new AppError("config", 'agents.command needs a `command`, e.g. { command: "my-agent" }');
  return {
    command: settings.command,
    args: settings.args ?? [],
    protocol: oneOf(settings, "protocol", ["text", "jsonl"]),
    prompt: oneOf(settings, "prompt", ["stdin", "argument"]),
  };
};

/** The arguments of a session; `{model}` in them is the model's name. */
export const commandArguments = (settings: CommandSettings, request: SessionRequest): string[] => {
  const model = request.model ?? request.settings.model ?? "";
  const args = settings.args.map((arg) => arg.replaceAll("{model}", () => model));
  if (settings.protocol === "jsonl" || settings.prompt === "stdin") return args;
  return args.some((arg) => arg.includes("{prompt}"))
    ? args.map((arg) => arg.replaceAll("{prompt}", () => request.prompt))
    : [...args, request.prompt];
};
