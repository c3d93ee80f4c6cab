import { type Conversation, FORGOTTEN_TEXT, type Message } from "../agents/store.ts";
import { type Closure, isSpoken, removedIds } from "./closure.ts";
import { isSent } from "./estimate.ts";

/** What a model would be sent of a conversation, message by message, comparable as text. */
const fingerprint = ({ role, parts, context }: Message): string => {
  const spoken = parts.filter((part) => part.kind !== "notice");
  return JSON.stringify([role, context === "cleared" ? spoken.map(({ callId }) => callId) : spoken]);
};

const sentSpoken = (conversation: Conversation): Message[] =>
  conversation.messages.filter(isSent).filter(isSpoken);

/** Faults that providers refuse a request for: half tool pairs, and an answer before the first prompt. */
export const findContextFaults = (conversation: Conversation): { id: string; fault: string }[] => {
  const sent = sentSpoken(conversation);
  const calls = new Map<string, string>();
  const results = new Map<string, string>();
  for (const { id, parts } of sent)
    for (const { kind, callId } of parts) {
      if (callId === undefined) continue;
      if (kind === "tool-call") calls.set(callId, id);
      if (kind === "tool-result") results.set(callId, id);
    }
  const faults: { id: string; fault: string }[] = [];
  for (const [call, id] of calls)
    if (!results.has(call)) faults.push({ id, fault: `tool call ${call} has no result` });
  for (const [call, id] of results)
    if (!calls.has(call)) faults.push({ id, fault: `result of ${call} has no call` });
  const [first] = sent;
  if (first && first.role !== "user")
    faults.push({ id: first.id, fault: `the first message is of ${first.role}, not of the user` });
  return faults;
};

/**
 * Whether a conversation after an edit is the one before it minus the closure, and no less valid.
 * @returns what is wrong, in words; nothing when it holds
 */
export const findForgetFaults = (before: Conversation, after: Conversation, closure: Closure): string[] => {
  const removed = removedIds(closure);
  const expected = sentSpoken(before)
    .filter(({ id }) => !removed.has(id))
    .map((message) =>
      closure.stubs.includes(message.id)
        ? { ...message, role: "user" as const, parts: [{ kind: "text" as const, text: FORGOTTEN_TEXT }] }
        : message,
    )
    .map(fingerprint);
  return [...findDifference(expected, sentSpoken(after).map(fingerprint)), ...newFaults(before, after)];
};

const findDifference = (expected: readonly string[], actual: readonly string[]): string[] => {
  if (expected.length !== actual.length)
    return [`${expected.length} messages should be sent, ${actual.length} would be`];
  const at = expected.findIndex((text, index) => text !== actual[index]);
  return at === -1 ? [] : [`message ${at + 1} of ${expected.length} would not be sent as it was`];
};

const newFaults = (before: Conversation, after: Conversation): string[] => {
  const known = new Set(findContextFaults(before).map(({ fault }) => fault));
  return findContextFaults(after)
    .map(({ fault }) => fault)
    .filter((fault) => !known.has(fault));
};
