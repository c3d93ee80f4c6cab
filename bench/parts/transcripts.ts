import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { corpusDir } from "../../test/corpus.ts";

const DAY_MS = 86_400_000;

/** Words for transcripts where no real ones lie beside the checkout; repeatable. */
const invented = (): string[] => {
  let seed = 1;
  const next = () => (seed = (seed * 48_271) % 2_147_483_647);
  const word = () => `w${(next() % 20_000).toString(36)}`;
  const text = (count: number) => Array.from({ length: count }, word).join(" ");
  return Array.from({ length: 12 }, (_, file) =>
    Array.from({ length: 300 }, (_, line) => {
      const parentUuid = line === 0 ? null : `u${file}-${line - 1}`;
      const content = `${text(40 + (next() % 400))} ${line % 97 === 0 ? "race condition" : ""} ${line % 31 === 0 ? "shadow branch" : ""}`;
      return JSON.stringify({
        type: "user",
        uuid: `u${file}-${line}`,
        parentUuid,
        cwd: "/work",
        timestamp: new Date(1.77e12 + (file * 300 + line) * 60_000).toISOString(),
        message: { role: "user", content },
        toolUseResult: { stdout: content },
      });
    }).join("\n"),
  );
};

const originals = (): string[] => {
  const folder = corpusDir("conversations/claude-code/entire");
  return folder ? readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8")) : invented();
};

/**
 * Claude Code transcripts of about that many megabytes: copies of real ones (where they are at hand), each
 * with other dates, with words of its own, and with a word `needle<n>q` that only its generation has.
 * @returns how many files
 */
export const writeTranscripts = (home: string, megabytes: number): number => {
  const texts = originals();
  let bytes = 0;
  let files = 0;
  for (let copy = 0; bytes < megabytes * 1e6; copy += 1) {
    const folder = join(home, ".claude", "projects", `p${copy % 20}`);
    mkdirSync(folder, { recursive: true });
    for (const [index, text] of texts.entries()) {
      if (bytes >= megabytes * 1e6) break;
      let words = 0;
      const changed = text
        .replace(/\b[a-z]{9,14}\b/g, (word) =>
          words++ % 37 === 0 ? `${word}x${copy.toString(36)}${(words % 97).toString(36)}` : word,
        )
        .replace('"content":"', `"content":"needle${copy}q `)
        .replace(
          /"timestamp":"(20[^"]{22})"/g,
          (_, at: string) => `"timestamp":"${new Date(Date.parse(at) - copy * 2.37 * DAY_MS).toISOString()}"`,
        );
      const id = `${copy.toString(16).padStart(8, "0")}-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
      writeFileSync(join(folder, `${id}.jsonl`), changed);
      bytes += Buffer.byteLength(changed);
      files += 1;
    }
  }
  return files;
};
