import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileDurably } from "../core/durable-file.ts";
import { nightshiftHome } from "../core/paths.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { type JournalEntry, listJournal, saveJournal } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";

type Purged = Pick<JournalEntry, "agent" | "conversation">;

const markPath = (ports: ConversationPorts): string =>
  join(nightshiftHome({ ...ports.env, HOME: ports.home }), "ctx", "purging.json");

/** The journal keeps what a forget took away: of a purged conversation it may keep nothing. */
export const emptyJournal = (ports: ConversationPorts, { agent, conversation }: Purged): number => {
  const held = listJournal(ports).filter(
    (entry) =>
      entry.agent === agent &&
      (entry.conversation === conversation || entry.result === conversation) &&
      entry.what !== "purge",
  );
  for (const entry of held)
    saveJournal(ports, {
      ...entry,
      undone: entry.undone ?? new Date(ports.now()).toISOString(),
      write: { kind: "files", changes: [] },
    });
  return held.length;
};

/** Notes that a conversation is being purged, so that one that is killed half-way is finished by the next edit. */
export const markPurging = (ports: ConversationPorts, purged: Purged): void =>
  writeFileDurably(markPath(ports), JSON.stringify(purged), { mode: 0o600 });

export const unmarkPurging = (ports: ConversationPorts): void => rmSync(markPath(ports), { force: true });

/** Finishes a purge that was killed: what the journal keeps of its conversation goes. Under the edit lock. */
export const finishPurge = (ports: ConversationPorts): void => {
  if (!existsSync(markPath(ports))) return;
  const text = readFileIfThere(markPath(ports));
  if (text !== undefined) emptyJournal(ports, JSON.parse(text) as Purged);
  unmarkPurging(ports);
};
