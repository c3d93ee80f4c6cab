import type { Conversation, Message } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { isSent } from "./estimate.ts";

/** A message that goes along with those that were named, and the reason in words. */
export type Companion = { id: string; because: string };

export type Closure = {
  named: string[];
  /** messages that have to go too */
  companions: Companion[];
  /** messages whose text is replaced because the first message sent must be the user's */
  stubs: string[];
};

const bondsOf = (message: Message): string[] => [
  ...message.bonds,
  ...message.parts.flatMap(({ callId }) => (callId === undefined ? [] : [`call:${callId}`])),
];

const reasonOf = (message: Message, bond: string, from: string): string => {
  if (!bond.startsWith("call:")) return `belongs to ${from} and is not accepted without it`;
  const holdsResult = message.parts.some(
    (part) => part.kind === "tool-result" && `call:${part.callId}` === bond,
  );
  return holdsResult
    ? `holds the result of a tool call in ${from}`
    : `made the tool call answered in ${from}`;
};

/** Everything that shares a call, a result or another bond with the named messages, and so on to the end. */
const companionsOf = (sent: readonly Message[], named: readonly string[]): Companion[] => {
  const byBond = new Map<string, Message[]>();
  for (const message of sent)
    for (const bond of bondsOf(message)) byBond.set(bond, [...(byBond.get(bond) ?? []), message]);
  const byId = new Map(sent.map((message) => [message.id, message]));
  const taken = new Set(named);
  const queue = [...named];
  const companions: Companion[] = [];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    const message = byId.get(id);
    for (const bond of message ? bondsOf(message) : [])
      for (const other of byBond.get(bond) ?? []) {
        if (taken.has(other.id)) continue;
        taken.add(other.id);
        companions.push({ id: other.id, because: reasonOf(other, bond, id) });
        queue.push(other.id);
      }
  }
  return companions;
};

/** Text that carries the conversation; notices are the harness's own and come back by themselves. */
export const isSpoken = (message: Message): boolean => message.parts.some((part) => part.kind !== "notice");

/**
 * The first message sent must be the user's. When the cut would put an answer first, the first prompt
 * stays as a placeholder.
 */
const stubsOf = (sent: readonly Message[], gone: ReadonlySet<string>): string[] => {
  const spoken = sent.filter(isSpoken);
  const first = spoken.find((message) => !gone.has(message.id));
  const original = spoken[0];
  if (!first || first.role === "user" || original?.role !== "user") return [];
  return [original.id];
};

/**
 * The message itself while it is sent; else the one that is sent in its place: a branch or a checkpoint, made
 * by an earlier forget too, repeats what it keeps under ids of its own.
 * @throws AppError `not-found` for unknown ids, `bad-data` for a message that is not in the context any more
 */
const findSent = (conversation: Conversation, sent: readonly Message[], id: string): string => {
  const message = conversation.messages.find((each) => each.id === id);
  if (!message) throw new AppError("not-found", `conversation ${conversation.id} has no message ${id}`);
  if (isSent(message)) return id;
  const said = JSON.stringify([message.role, message.parts]);
  const [copy, ...more] = sent.filter(({ role, parts }) => JSON.stringify([role, parts]) === said);
  if (copy && more.length === 0) return copy.id;
  throw new AppError(
    "bad-data",
    `message ${id} is no longer in the context (${message.context}): nothing to forget${copy ? `; messages that say the same are: ${[copy, ...more].map((each) => each.id).join(", ")}` : ""}`,
  );
};

/**
 * What has to leave together with the named messages so that the conversation stays valid.
 * @throws AppError `not-found` for unknown ids, `bad-data` for messages that are not in the context, or
 * when nothing would be left
 */
export const closeOver = (conversation: Conversation, named: readonly string[]): Closure => {
  const sent = conversation.messages.filter(isSent);
  const unique = [...new Set(named.map((id) => findSent(conversation, sent, id)))];
  const companions = companionsOf(sent, unique);
  const gone = new Set([...unique, ...companions.map(({ id }) => id)]);
  const rest = sent.filter((message) => isSpoken(message) && !gone.has(message.id));
  if (
    rest.length === 0 ||
    (rest.every(({ role }) => role !== "assistant") && sent.some(({ role }) => role === "assistant"))
  )
    throw new AppError(
      "bad-data",
      "that would leave nothing to continue from; start a new conversation instead",
    );
  const boundaries = sent.filter(({ id, isBoundary }) => isBoundary && gone.has(id)).map(({ id }) => id);
  const stubs = [...new Set([...boundaries, ...stubsOf(sent, gone)])];
  const isStub = (id: string) => stubs.includes(id);
  return {
    named: unique.filter((id) => !isStub(id)),
    companions: companions.filter(({ id }) => !isStub(id)),
    stubs,
  };
};

/** Ids that leave the context altogether. */
export const removedIds = ({ named, companions }: Closure): Set<string> =>
  new Set([...named, ...companions.map(({ id }) => id)]);
