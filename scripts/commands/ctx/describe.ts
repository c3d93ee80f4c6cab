import type { Closure } from "../../../conversations/closure.ts";
import type { MessageRow } from "../../../conversations/list.ts";
import type { ConversationRow } from "../../../conversations/list-conversations.ts";
import type { ContextSize } from "../../../conversations/size.ts";
import { plural } from "../../../core/plural.ts";
import type { ArgumentSpec } from "../../command/define-command.ts";
import { agoText } from "../../../core/people-time.ts";
import type { Reporter } from "../../command/reporter.ts";
import { fit } from "../../command/table.ts";
import { hangOnTerminal } from "../../command/wrap-words.ts";

export const CONVERSATION: ArgumentSpec & { name: "conversation"; isOptional: true } = {
  name: "conversation",
  description: "id, or the beginning of one; left out, or `-`, inside an agent that tells its own",
  isOptional: true,
};

const LEAST_TITLE = 24;

/** 12,345 as people read it. */
export const count = (value: number): string => value.toLocaleString("en-US");

/** A folder may be named anything; a line of a list stays one line. */
export const oneLine = (text: string): string => (text.includes("\n") ? text.split("\n").join(" ") : text);

export const describeSize = ({ tokens, errorTokens, windowTokens, share }: ContextSize): string => {
  const ofWindow =
    windowTokens === undefined || share === undefined
      ? "window unknown"
      : `${(share * 100).toFixed(1)} % of ${count(windowTokens)}`;
  return `${count(tokens)} tokens ± ${count(errorTokens)} (${ofWindow})`;
};

const CONTEXT_WORDS: Record<MessageRow["context"], string> = {
  in: "",
  cleared: "emptied",
  compacted: "compacted away",
  branch: "other branch",
  excluded: "forgotten",
  sidechain: "sub-agent",
  "not-sent": "never sent",
};

export const contextWords = (context: MessageRow["context"]): string => CONTEXT_WORDS[context];

/** What a description has to know of where it is shown. */
export type Screen = Pick<Reporter, "style" | "columns" | "isTerminal">;

/** Two lines a message, more where they do not fit: what it is, then what it says. */
export const describeMessage = (
  row: MessageRow,
  { reporter, nowMs }: { reporter: Screen; nowMs: number },
): string[] => {
  const { style } = reporter;
  const what = row.tool === undefined ? row.role : `${row.role} ${row.tool}`;
  const facts = [
    what,
    `${count(row.tokens)} tokens`,
    row.atMs === undefined ? "" : agoText(row.atMs, nowMs),
    contextWords(row.context),
  ];
  return [
    ...hangOnTerminal(`${style.bold(row.id)}  `, style.dim(facts.filter(Boolean).join(", ")), reporter),
    ...hangOnTerminal("  ", row.snippet, reporter),
  ];
};

/** Two lines a conversation: its id and title, then its facts. */
export const describeConversation = (
  { id, title = "", changedMs, lastMessageMs, messages, tokens, dir = "", subAgent }: ConversationRow,
  { reporter: { style, columns }, nowMs }: { reporter: Pick<Reporter, "style" | "columns">; nowMs: number },
): string[] => {
  const facts = [
    agoText(lastMessageMs ?? changedMs, nowMs),
    messages === undefined ? "" : plural(messages, "message"),
    tokens === undefined ? "" : `${count(tokens)} tokens`,
    subAgent ? "sub-agent" : "",
  ].filter(Boolean);
  if (dir !== "") facts.push(oneLine(dir));
  const room = columns - id.length - 2;
  // A long id on a narrow terminal stands alone.
  const head =
    room < LEAST_TITLE
      ? [style.bold(id), `  ${fit(oneLine(title), columns - 2)}`]
      : [`${style.bold(id)}  ${fit(oneLine(title), room)}`];
  return [
    ...head.map((line) => line.trimEnd()).filter(Boolean),
    style.dim(`  ${fit(facts.join(", "), columns - 2)}`),
  ];
};

/** The closure in words: what was named, and what goes with it and why. */
export const describeClosure = ({ named, companions, stubs }: Closure): string[] => [
  ...named.map((id) => `  ${id}`),
  ...companions.map(({ id, because }) => `  ${id}  (removed too: ${because})`),
  ...stubs.map((id) => `  ${id}  (its text goes, a placeholder stays: the conversation must begin there)`),
];
