import { readFileSync } from "node:fs";
import { type JsonLines, readJsonLines, toJsonLines } from "./jsonl.ts";
import type { Conversation, Edit, EditWrite, Loaded, Source } from "./store.ts";

/** A transcript of JSON lines as it was read: what its store edits. */
export type Transcript = { source: Source; bytes: Buffer; lines: JsonLines };

type FromLines = (source: Source, lines: JsonLines) => Conversation;

/** A store's `load` for transcripts whose files hold nothing else. */
export const loadTranscript =
  (fromLines: FromLines, read: (path: string) => Buffer = readFileSync) =>
  async (source: Source): Promise<Loaded<Transcript>> => {
    const bytes = read(source.path);
    const lines = readJsonLines(bytes);
    return { conversation: fromLines(source, lines), raw: { source, bytes, lines } };
  };

const NEWLINE = 10;

/** Adds lines to a transcript, also to one whose last line is not ended. */
export const appendLines = (
  { source, bytes }: Pick<Transcript, "source" | "bytes">,
  values: readonly unknown[],
  fromLines: FromLines,
): Edit & { write: { kind: "append" } } => {
  const isOpen = bytes.length > 0 && bytes.at(-1) !== NEWLINE;
  const content = `${isOpen ? "\n" : ""}${toJsonLines(values)}`;
  return {
    after: fromLines(source, readJsonLines(Buffer.concat([bytes, Buffer.from(content)]))),
    write: { kind: "append", path: source.path, content },
  };
};

/** Puts another content in the place of a file's, or makes it. */
export const writeFile = (path: string, content: string): EditWrite => ({
  kind: "files",
  changes: [{ path, content }],
});

/** Whom the children of a record hang on once every key of `parents` is gone. */
export const findSurvivor = (
  parents: ReadonlyMap<string, string | null>,
  id: string | null,
): string | null => {
  let at = id;
  while (at !== null && parents.has(at)) at = parents.get(at) ?? null;
  return at;
};
