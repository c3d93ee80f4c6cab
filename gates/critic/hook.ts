import type { Judgement } from "./judge.ts";
import type { HookAgent } from "./hook-agents.ts";
import { findMarks } from "./reader/marks.ts";
import { describeDisabled, describeForAgent } from "./report.ts";

/** What a PreToolUse hook is given on stdin; every agent sends this shape. */
type HookInput = {
  tool_name?: unknown;
  tool_input?: unknown;
  hook_event_name?: unknown;
  prompt?: unknown;
  cwd?: unknown;
};

/** What the hook answers: exit 2 blocks and its stderr goes to the model, stdout is the JSON decision. */
export type HookAnswer = { exitCode: 0 | 2; stdout: string; stderr: string };

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** Code that goes in is judged by the marks that it adds: a test switched off, a CI step that cannot fail. */
const describeEdit = (path: string, before: string, after: string): string => {
  if (/\.(?:md|mdx|txt|rst|adoc)$/i.test(path)) return "";
  const had = findMarks(before).map(({ mark }) => mark);
  const added = findMarks(after).filter(({ mark }) => {
    const at = had.indexOf(mark);
    if (at >= 0) had.splice(at, 1);
    return at < 0 && ["SKIPMARK", "NOVERIFY", "SKIPCI", "SKIPFLAG", "SWALLOW"].includes(mark);
  });
  const relevant = added.filter(
    ({ mark }) => mark !== "SWALLOW" || /(?:\.ya?ml|package\.json|\.sh|Makefile)$/.test(path),
  );
  return relevant
    .map(({ mark, start, end }) => {
      const written = after.slice(start, end).trim();
      return mark === "SWALLOW" ? `The test step gets \`${written}\`.` : `Add \`${written}\` to the tests.`;
    })
    .join(" ");
};

const commandOf = (input: Record<string, unknown>): string => {
  const { command, cmd } = input;
  if (Array.isArray(command)) return command.map(text).join(" ");
  return text(command) || text(cmd);
};

/** A command as one text that a shell reads back into the same words. */
const shellText = (input: Record<string, unknown>): string => {
  const { command } = input;
  if (!Array.isArray(command)) return commandOf(input);
  return command.map((word) => `'${text(word).replaceAll("'", `'\\''`)}'`).join(" ");
};

const patchText = (patch: string): string => {
  const path = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(patch)?.[1] ?? "";
  const side = (sign: string) =>
    patch
      .split("\n")
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1))
      .join("\n");
  return describeEdit(path, side("-"), side("+"));
};

const todoText = (todos: unknown[]): string =>
  todos
    .map((todo) => {
      const { content, status, text: other } = record(todo);
      return `- [${status === "completed" ? "x" : " "}] ${text(content) || text(other)}`;
    })
    .join("\n");

/** `isCommand`: nearly all of it is a command, and of those nearly all are harmless. */
type HookText = {
  text: string;
  isCommand: boolean;
  /** what a shell would be given */
  commands: readonly string[];
  /** where it would be run, as the agent says it */
  dir: string | undefined;
};

/**
 * What a tool call is about to do, in words to judge: its command, its plan, its prompt, the marks it puts
 * into code. Undefined when the input is not what the agents send: then nothing was judged.
 */
export const readHookInput = (json: string): HookText | undefined => {
  let input: HookInput;
  try {
    input = record(JSON.parse(json));
  } catch {
    return undefined;
  }
  if (typeof input.prompt === "string" && input.tool_name === undefined)
    return { text: input.prompt, isCommand: false, commands: [], dir: undefined };
  if (
    typeof input.tool_name !== "string" ||
    typeof input.tool_input !== "object" ||
    input.tool_input === null
  )
    return undefined;
  const tool = record(input.tool_input);
  const path = text(tool["file_path"]) || text(tool["filePath"]) || text(tool["path"]);
  const edits = list(tool["edits"]).map(record);
  const patch =
    text(tool["patch"]) || (text(tool["input"]).startsWith("*** Begin Patch") ? text(tool["input"]) : "");
  const command = commandOf(tool);
  const said = [
    command.includes("*** Begin Patch") ? patchText(command) : command,
    text(tool["description"]),
    text(tool["prompt"]),
    text(tool["plan"]),
    text(tool["message"]),
    list(tool["todos"]).length > 0 ? todoText(list(tool["todos"])) : "",
    list(tool["plan"])
      .map(
        (step) => `- [${record(step)["status"] === "completed" ? "x" : " "}] ${text(record(step)["step"])}`,
      )
      .join("\n"),
    "content" in tool ? describeEdit(path, "", text(tool["content"])) : "",
    "new_string" in tool ? describeEdit(path, text(tool["old_string"]), text(tool["new_string"])) : "",
    ...edits.map((edit) => describeEdit(path, text(edit["old_string"]), text(edit["new_string"]))),
    patch ? patchText(patch) : "",
  ]
    .filter((part) => part.trim() !== "")
    .join("\n\n");
  const isPatch = command.includes("*** Begin Patch");
  const isWritten =
    path !== "" && ["content", "new_string", "newString", "newText", "edits"].some((key) => key in tool);
  return {
    text: said,
    isCommand: command !== "",
    commands: [
      ...(command !== "" && !isPatch ? [shellText(tool)] : []),
      // A file that is written is judged like a command that writes it: git's hooks and settings are files.
      ...(isWritten ? [`: > '${path.replaceAll("'", `'\\''`)}'`] : []),
    ],
    dir:
      text(tool["directory"]) ||
      text(tool["dir_path"]) ||
      text(tool["workdir"]) ||
      text(input.cwd) ||
      undefined,
  };
};

const decision = (fields: Record<string, unknown>): object => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", ...fields },
});

const lines = (...parts: readonly string[]): string => parts.filter(Boolean).join("\n");

/** Gemini CLI takes a decision and its reason; our own plugins of opencode and pi take the same. */
const isPlain = (agent: HookAgent): boolean => agent !== "claude" && agent !== "codex";

/**
 * The judgement in the agents' protocol. Codex knows no `ask`, and in both only exit 2 or a `deny` blocks
 * (exit 1 does not), so STOP is both; a caution is told and goes on. What the project switched off is said on
 * stderr each time, and to the user when it would have spoken.
 */
export const answerHook = (judgement: Judgement, agent: HookAgent): HookAnswer => {
  const words = describeForAgent(judgement);
  const disabled = describeDisabled(judgement) ?? "";
  if (judgement.verdict === "STOP") {
    const reason = `nightshift critic: STOP. ${words}`;
    const denial = isPlain(agent)
      ? { decision: "deny", reason }
      : decision({ permissionDecision: "deny", permissionDecisionReason: reason });
    // With exit 2 Gemini CLI reads stderr alone; the reason is in both for whoever reads the other.
    return { exitCode: 2, stdout: JSON.stringify(denial), stderr: lines(reason, disabled) };
  }
  const caution = words === "" ? "" : `nightshift critic: caution. ${words}`;
  const missed = judgement.disabled.some(({ match }) => match !== undefined) ? disabled : "";
  // Only Claude Code reads `additionalContext` here; the others show `systemMessage` to the user.
  const forModel = agent === "claude" ? caution : "";
  const forUser = lines(forModel ? "" : caution, missed);
  const answer = {
    ...(forModel ? decision({ additionalContext: forModel }) : {}),
    ...(forUser ? { systemMessage: forUser } : {}),
  };
  // The plugins of opencode and pi show what is said on stderr.
  const isSilent = agent === "opencode" || agent === "pi" || (forModel === "" && forUser === "");
  return {
    exitCode: 0,
    stdout: isSilent ? "" : JSON.stringify(answer),
    stderr: isPlain(agent) ? lines(caution, disabled) : disabled,
  };
};
