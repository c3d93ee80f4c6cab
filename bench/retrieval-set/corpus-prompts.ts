import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = [process.env["NIGHTSHIFT_CORPUS"], join(import.meta.dirname, "../../../shared/corpus")]
  .map((corpus) => join(corpus ?? "", "conversations/claude-code/entire"))
  .find((folder) => existsSync(folder));

const promptOf = (line: string): string | undefined => {
  try {
    const { type, isMeta, message } = JSON.parse(line) as {
      type?: string;
      isMeta?: boolean;
      message?: { content?: unknown };
    };
    const text = message?.content;
    const isPrompt = type === "user" && !isMeta && typeof text === "string" && text.length >= 30;
    return isPrompt && !/^(?:<|This session is being)/.test(text) ? text.slice(0, 4000) : undefined;
  } catch {
    return undefined; // two records in one line: a few of these transcripts have that
  }
};

/** What people typed in real sessions; none where the corpus is not beside the checkout. */
export const readCorpusPrompts = (): string[] =>
  FOLDER === undefined
    ? []
    : readdirSync(FOLDER).flatMap((file) =>
        readFileSync(join(FOLDER, file), "utf8")
          .split("\n")
          .flatMap((line) => promptOf(line) ?? []),
      );
