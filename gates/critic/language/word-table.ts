/**
 * A table of words as bytes: the number of slots, a slot for each hash (where the entry lies, or 0), and the
 * entries, each the length of the word, the word, the length of the text, the text. Characters are single bytes.
 */
const SLOT_BYTES = 4;
const WIDEST = 0xff;
const LONGEST_WORD = 0xff;
const LONGEST_TEXT = 0xffff;

/** FNV-1a over the characters. */
export const hashText = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
};

const isPlain = (text: string): boolean => {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > WIDEST) return false;
  return true;
};

/** @throws RangeError for a word or text that an entry cannot hold */
export const packTable = (entries: Iterable<readonly [string, string]>): Uint8Array => {
  const all = [...new Map(entries)];
  const slots = 1 << Math.ceil(Math.log2(Math.max(1, all.length) * 2));
  const head = (slots + 1) * SLOT_BYTES;
  const size = all.reduce((sum, [word, text]) => sum + 3 + word.length + text.length, head);
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(slots, 0);
  let at = head;
  for (const [word, text] of all) {
    if (word.length > LONGEST_WORD || text.length > LONGEST_TEXT || !isPlain(word) || !isPlain(text))
      throw new RangeError(`no table can hold ${JSON.stringify(word)}`);
    let slot = hashText(word) & (slots - 1);
    while (bytes.readUInt32LE((slot + 1) * SLOT_BYTES) !== 0) slot = (slot + 1) & (slots - 1);
    bytes.writeUInt32LE(at, (slot + 1) * SLOT_BYTES);
    at = bytes.writeUInt8(word.length, at);
    at += bytes.write(word, at, "latin1");
    at = bytes.writeUInt16LE(text.length, at);
    at += bytes.write(text, at, "latin1");
  }
  return bytes;
};

/**
 * Opens a table that lies at a multiple of four: what it gives back finds the text that belongs to a word, and no
 * map is made. The bytes are read as one text, because V8 compares and cuts texts in its own machine code.
 */
export const openTable = (table: Buffer): ((word: string) => string | undefined) => {
  const [slots = 0] = new Uint32Array(table.buffer, table.byteOffset, 1);
  const entries = new Uint32Array(table.buffer, table.byteOffset + SLOT_BYTES, slots);
  const text = table.toString("latin1");
  return (word) => {
    for (let slot = hashText(word) & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = entries[slot] ?? 0;
      if (at === 0) return undefined;
      if (text.charCodeAt(at) !== word.length || !text.startsWith(word, at + 1)) continue;
      const size = at + 1 + word.length;
      return text.slice(size + 2, size + 2 + text.charCodeAt(size) + (text.charCodeAt(size + 1) << 8));
    }
  };
};
