import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";

const KEPT_LINES = 40;
/** A longer one is cut up: a program that never ends its line must not fill the memory. */
const LONGEST_LINE = 64 * 1024;

type Source = { decoder: StringDecoder; open: string };

/**
 * Lines out of what several programs print at once: each keeps its own unfinished line, and a letter that
 * falls between two chunks stays whole. The last lines are kept.
 */
export class OutputLines {
  readonly #onLine: (line: string) => void;
  readonly #sources = new Map<string, Source>();
  #last: string[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(source: string, chunk: Buffer): void {
    const from = this.#sources.get(source) ?? { decoder: new StringDecoder("utf8"), open: "" };
    this.#sources.set(source, from);
    const parts = (from.open + from.decoder.write(chunk)).split(/\r?\n/);
    from.open = parts.pop() ?? "";
    for (const line of parts) this.line(line);
    if (from.open.length < LONGEST_LINE) return;
    this.line(from.open);
    from.open = "";
  }

  /** What was printed without an end of line is a line all the same. */
  end(): void {
    for (const { decoder, open } of this.#sources.values()) {
      const rest = open + decoder.end();
      if (rest !== "") this.line(rest);
    }
    this.#sources.clear();
  }

  /** Without colours and the like: a line goes into JSON, a pipe or a drawing of ours. */
  line(text: string): void {
    const line = stripVTControlCharacters(text);
    this.#last.push(line);
    if (this.#last.length > 2 * KEPT_LINES) this.#last = this.last();
    this.#onLine(line);
  }

  last(): string[] {
    return this.#last.slice(-KEPT_LINES);
  }
}
