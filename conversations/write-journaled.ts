import type { Conversation, Edit } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { findForgetFaults } from "./check-context.ts";
import type { Closure } from "./closure.ts";
import { withEditLock } from "./edit-lock.ts";
import { conversationId, type OpenConversation } from "./find.ts";
import { dropJournal, type JournalEntry, saveJournal } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import { isTakenBack } from "./take-back.ts";
import { writeEdit } from "./write-edit.ts";

const NOTHING: Closure = { named: [], companions: [], stubs: [] };

/** How what would be sent of two conversations differs, in words; nothing when it does not. */
export const findDifferences = (expected: Conversation, actual: Conversation): string[] =>
  findForgetFaults(expected, actual, NOTHING);

/** A file that changed since it was read is told by its size; rows have to be read again. */
const refuseChanged = async ({ store, source, conversation }: OpenConversation): Promise<void> => {
  const { conversation: now } = await store.load(source);
  if (findDifferences(conversation, now).length > 0)
    throw new AppError(
      "locked",
      `${conversationId(conversation)} changed while it was being edited; nothing was written, try again`,
    );
};

type Written = {
  edit: Edit;
  entry: JournalEntry;
  ports: ConversationPorts;
};

/**
 * Writes an edit with its journal entry, both or neither. What is written is loaded again as the agent would;
 * if it is not what was planned, it is taken back.
 */
export const writeJournaled = (open: OpenConversation, { edit, entry, ports }: Written): Promise<void> =>
  withEditLock(ports, async () => {
    const { store, source } = open;
    if (edit.write.kind === "rows") await refuseChanged(open);
    saveJournal(ports, entry);
    try {
      await writeEdit(edit.write, source);
    } catch (error) {
      // What cannot be taken back here is left to ctx undo.
      if (isTakenBack(entry.write)) dropJournal(ports, entry);
      throw error;
    }
    const { id, path } = edit.after;
    const { conversation: written } = await store.load({ ...source, id, path });
    const faults = findDifferences(edit.after, written);
    if (faults.length === 0) return;
    const { undoEntry } = await import("./undo.ts");
    await undoEntry(entry, ports);
    throw new AppError(
      "internal",
      `taken back, ${store.title} would not load it as planned: ${faults.join("; ")}`,
    );
  });
