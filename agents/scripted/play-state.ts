import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";

/** Where each conversation of a script stands, so that the next session gets the next part. */
export type PlayState = {
  sessions: number;
  conversations: Record<string, { session: number; part: number; next: number }>;
};

const KEPT_CONVERSATIONS = 50;

export const loadPlayState = (file: string): PlayState => {
  const text = readFileIfThere(file);
  return text === undefined ? { sessions: 0, conversations: {} } : (JSON.parse(text) as PlayState);
};

export const savePlayState = (file: string, state: PlayState): void => {
  const kept = Object.entries(state.conversations).slice(-KEPT_CONVERSATIONS);
  writeFileDurably(file, JSON.stringify({ ...state, conversations: Object.fromEntries(kept) }));
};

/** Where a session begins: a new conversation with the next part, or an old one where it was left. */
export const beginConversation = (state: PlayState, parts: number, resume: string | undefined) => {
  const known = resume === undefined ? undefined : state.conversations[resume];
  if (resume !== undefined && known) return { id: resume, ...known };
  const session = state.sessions + 1;
  const place = { session, part: Math.min(session, parts) - 1, next: 0 };
  return { id: `scripted-${session}`, ...place };
};
