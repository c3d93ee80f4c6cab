import { dirname, join } from "node:path";
import { listNames } from "../files.ts";
import type { TokenClasses } from "../token-classes.ts";
import { type Json, listAt, numberAt, objectAt, parseObject, sumAt, textAt } from "../json.ts";

/** Gemini CLI's home: `GEMINI_CLI_HOME`, else the user's, and `.gemini` in it. */
const geminiHome = (env: Readonly<Record<string, string>>): string =>
  join(env["GEMINI_CLI_HOME"] ?? env["HOME"] ?? "", ".gemini");

/** The file in which Gemini CLI records a conversation as it goes. */
export const findChatFile = (
  env: Readonly<Record<string, string>>,
  sessionId: string,
): string | undefined => {
  const projects = join(geminiHome(env), "tmp");
  const ending = `-${sessionId.slice(0, 8)}.jsonl`;
  for (const project of listNames(projects)) {
    const chats = join(projects, project, "chats");
    const name = listNames(chats).find((file) => file.endsWith(ending));
    if (name !== undefined) return join(chats, name);
  }
  return undefined;
};

/** The files in which the sub-agents of a conversation are recorded; `chat` is the conversation's own. */
export const findSubAgentFiles = (chat: string, sessionId: string): string[] => {
  const folder = join(dirname(chat), sessionId);
  return listNames(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
};

/**
 * Windows of Gemini CLI's models; it tells them nowhere, so this is its own table.
 * Source: google-gemini/gemini-cli, packages/core/src/core/tokenLimits.ts (0.61.0).
 */
const WINDOWS: Readonly<Record<string, number>> = {
  "gemma-4-31b-it": 256_000,
  "gemma-4-26b-a4b-it": 256_000,
};

const DEFAULT_WINDOW = 1_048_576;

export const geminiWindow = (model: string | undefined): number => WINDOWS[model ?? ""] ?? DEFAULT_WINDOW;

export type ChatRecord =
  | { type: "figures"; model: string | undefined; contextTokens: number; call: Partial<TokenClasses> }
  /** the results of these tool calls are on disk */
  | { type: "results"; ids: string[] };

const readTokens = (entry: Json): ChatRecord => {
  const tokens = objectAt(entry, "tokens");
  return {
    type: "figures",
    model: textAt(entry, "model"),
    // `input` already holds the cached tokens.
    contextTokens: numberAt(tokens, "total") ?? sumAt(tokens, "input", "output", "thoughts"),
    call: {
      input: sumAt(tokens, "input", "tool") - sumAt(tokens, "cached"),
      cacheRead: sumAt(tokens, "cached"),
      output: sumAt(tokens, "output", "thoughts"),
      reasoning: sumAt(tokens, "thoughts"),
    },
  };
};

/** Reads the lines a chat file gains; a model's message is written again when its tools are done. */
export const createChatReader = () => {
  const seen = new Set<string>();
  return (line: string): ChatRecord[] => {
    const entry = parseObject(line);
    if (!entry) return [];
    if (entry["type"] === "user") {
      const ids = listAt(entry, "content")
        .map((part) => textAt(objectAt(part, "functionResponse"), "id"))
        .filter((id) => id !== undefined);
      return ids.length === 0 ? [] : [{ type: "results", ids }];
    }
    const id = textAt(entry, "id") ?? "";
    if (entry["type"] !== "gemini" || seen.has(id) || !("tokens" in entry)) return [];
    seen.add(id);
    return [readTokens(entry)];
  };
};
