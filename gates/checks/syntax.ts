import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SourceFacts } from "./source-facts.ts";
import { type Check, failed, type Finding, notApplicable, passed } from "../gate.ts";

const SOURCE = /\.(?:[cm]?[jt]sx?)$/;

export const isSource = (file: string): boolean =>
  SOURCE.test(file) && !/(?:^|\/)(?:node_modules|dist|build|coverage|vendor)\/|\.min\.js$/.test(file);

/** The facts of many files, each read once however many gates ask. */
export class SourceReader {
  readonly #root: string;
  readonly #facts = new Map<string, Promise<SourceFacts>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The parser is loaded when a source is read: an answer that is kept needs none. */
  async #read(file: string): Promise<SourceFacts> {
    const { readSourceFacts } = await import("./source-facts.ts");
    return readSourceFacts(file, await readFile(join(this.#root, file), "utf8"));
  }

  read(file: string): Promise<SourceFacts> {
    let facts = this.#facts.get(file);
    if (!facts) {
      facts = this.#read(file);
      this.#facts.set(file, facts);
    }
    return facts;
  }
}

/** A check of one kind of fact over the gate's files. */
export const checkSyntax =
  (kind: keyof SourceFacts, reader: SourceReader): Check =>
  async ({ files, signal }) => {
    if (files.length === 0) return notApplicable("no JavaScript or TypeScript source");
    const findings: Finding[] = [];
    for (const file of files) {
      signal.throwIfAborted();
      const facts = await reader.read(file);
      findings.push(...facts[kind]);
    }
    return findings.length > 0 ? failed(findings) : passed();
  };
