import type { FramePart, Group } from "./frame-parser.ts";

/**
 * A frame as a program of small numbers: each instruction is its sign and what it needs. `TRY` and `SPLIT` go on
 * with the next instruction and come back to the given one if that leads nowhere; places count from the program's
 * first number.
 */
export const OP = {
  /** fits */
  end: 0,
  /** set: the next word is of this set */
  word: 1,
  /** shape: the next word has this shape */
  shape: 2,
  /** place */
  split: 3,
  /** set, place: as `split`, but only if the next word is of this set; else at once on to the place */
  try: 4,
  /** place */
  jump: 5,
  /** style, most: the longest way over the gap first */
  gap: 6,
  /** mark: remembers the word that is reached */
  mark: 7,
  /** mark: something was taken since then */
  check: 8,
} as const;

export const GAP_STYLES = ["~", "*", "^"] as const;

type NumberOfShape = (shape: string) => number;

const canBeEmpty = (parts: readonly FramePart[]): boolean =>
  parts.every(
    (part) =>
      typeof part === "object" &&
      ("gap" in part || ("any" in part && (part.least === 0 || part.any.some(canBeEmpty)))),
  );

class Assembler {
  readonly code: number[] = [];
  #marks = 0;
  readonly #numberOfShape: NumberOfShape;

  constructor(numberOfShape: NumberOfShape) {
    this.#numberOfShape = numberOfShape;
  }

  /** Room for a place that is not known yet. */
  #later(...instruction: number[]): number {
    this.code.push(...instruction, 0);
    return this.code.length - 1;
  }

  #here(...places: number[]): void {
    for (const place of places) this.code[place] = this.code.length;
  }

  parts(parts: readonly FramePart[]): void {
    for (const part of parts) {
      if (typeof part === "number") this.code.push(OP.word, part);
      else if ("shape" in part) this.code.push(OP.shape, this.#numberOfShape(part.shape));
      else if ("gap" in part) this.code.push(OP.gap, GAP_STYLES.indexOf(part.gap), part.most);
      else this.#group(part);
    }
  }

  /** Round by round: as many as may be, and after those that must be, one can also go on behind the group. */
  #group({ any, least, most }: Group): void {
    const ends: number[] = [];
    for (let round = 0; round < most; round += 1) {
      if (round >= least) ends.push(this.#later(OP.split));
      this.#alternatives(any);
    }
    this.#here(...ends);
  }

  #alternatives(any: readonly FramePart[][]): void {
    const ends: number[] = [];
    for (const [i, alternative] of any.entries()) {
      const [first] = alternative;
      const isLast = i === any.length - 1;
      const next = isLast
        ? undefined
        : typeof first === "number"
          ? this.#later(OP.try, first)
          : this.#later(OP.split);
      const mark = canBeEmpty(alternative) ? this.#marks++ : undefined;
      if (mark !== undefined) this.code.push(OP.mark, mark);
      this.parts(alternative);
      if (mark !== undefined) this.code.push(OP.check, mark);
      if (next === undefined) continue;
      ends.push(this.#later(OP.jump));
      this.#here(next);
    }
    this.#here(...ends);
  }
}

export const assemble = (parts: readonly FramePart[], numberOfShape: NumberOfShape): number[] => {
  const assembler = new Assembler(numberOfShape);
  assembler.parts(parts);
  assembler.code.push(OP.end);
  return assembler.code;
};
