import type { Span } from "./spans.ts";

/** A paragraph, a list item or a step of a text: what sentences are found in. */
export type Piece = Span & {
  /** number of its step in a plan (numbered list, "step 2", "day 1", a > b > c) */
  step?: number;
  /** the box of a to-do item: ticked or not */
  checked?: boolean;
};

const LIST_ITEM =
  /^[ \t]*(?:[-*+•](?=\s)|(\d{1,2})[.):](?=\s)|(?:\*\*)?(?:step|day|week|phase|part|sprint|task|iteration|schritt|tag)\s+(\d{1,2})\b(?:\*\*)?[ \t]*[:.)–—-]?)[ \t]*/i;
const CHECKBOX = /^[ \t]*(?:[-*+][ \t]*)?\[([ xX])\][ \t]*/;
const HEADING =
  /^[ \t]*(?:#{1,6}[ \t]+[A-Z\d*`][^:;/\n]*|\*\*[^*\n]{2,40}\*\*:?[ \t]*|[A-Z][\w ]{2,24}:[ \t]*)$/;
/** What announces that the bullets below it come one after the other. */
const PLAN_LEAD =
  /^.{0,40}\b(?:plan|steps?|to-?do|to do|tasks?|approach|roadmap|checklist|order|agenda|next up|schritte|ablauf)\b.{0,30}$/i;

const WRAPPED_CHARS = 45;

/** The lines of a text; hard-wrapped prose is put together again, headings and fences are left out. */
const listLines = (text: string): Piece[] => {
  const pieces: Piece[] = [];
  let offset = 0;
  let lead = "";
  let previous: Piece | undefined;
  for (const line of text.split("\n")) {
    const start = offset;
    const end = start + line.length;
    offset = end + 1;
    const content = line.trim();
    if (content === "" || /^(?:```|~~~)/.test(content) || HEADING.test(line)) {
      if (content !== "") lead = content;
      previous = undefined;
      continue;
    }
    const box = CHECKBOX.exec(line);
    const item = box ?? LIST_ITEM.exec(line);
    const said = previous && text.slice(previous.start, previous.end);
    if (item) {
      const number = box ? undefined : (item[1] ?? item[2]);
      const isPlan = box !== null || (number === undefined && PLAN_LEAD.test(lead));
      const step = isPlan ? pieces.length + 1 : number === undefined ? undefined : Number(number);
      previous = {
        start: start + item[0].length,
        end,
        ...(step === undefined ? {} : { step }),
        ...(box ? { checked: box[1] !== " " } : {}),
      };
      pieces.push(previous);
    } else if (previous && said !== undefined && said.length > WRAPPED_CHARS && !/[.!?:;`|]\s*$/.test(said))
      previous.end = end;
    else {
      lead = content;
      previous = { start, end };
      pieces.push(previous);
    }
  }
  return pieces.filter(({ start, end }) => end > start);
};

const NUMBERED =
  /(?<=^|\s)(?:\(?(\d{1,2})[.)]\s+(?=\S)|(?:step|day|phase|week|part|schritt|tag)\s+(\d{1,2})\s*[:.)–—-]+\s*)/gi;
const BOXES = /\[[ xX]\]\s*/g;
const ARROWS = /\s(?:->|=>|→|>{1,2})\s/g;
const DAYS =
  /\b(?:morning|monday|first thing|today|afternoon|tuesday|tomorrow|evening|wednesday|next day|heute|morgen)\s*:\s*/gi;
const LISTED =
  /^\s*(?:the |my |our )?(?:steps?|plan|todo|to do|order|approach|sequence|workflow|roadmap|agenda|tasks?|next steps)(?: [\w ]{0,20})?:\s*/i;

/** Where the steps that stand in one line begin, and how long the mark before each is; none when it holds no list. */
const findInlineSteps = (body: string, isItem: boolean): { at: number; length: number }[] => {
  const marks = (expression: RegExp) =>
    [...body.matchAll(expression)].map(({ index, 0: { length } }) => ({ at: index, length }));
  const first = { at: 0, length: 0 };
  const numbered = marks(NUMBERED);
  if (isItem) return numbered.length > 0 ? [first, ...numbered] : [];
  for (const found of [numbered, marks(BOXES), marks(DAYS)]) if (found.length >= 2) return found;
  const listed = LISTED.exec(body)?.[0].length;
  const separator = body.split(";").length >= 3 ? /;/g : /,/g;
  if (listed !== undefined) {
    const behind = marks(separator).filter(({ at }) => at > listed);
    if (behind.length >= 2) return [{ at: 0, length: listed }, ...behind];
  }
  const arrows = marks(ARROWS);
  return arrows.length >= 2 ? [first, ...arrows] : [];
};

const splitSteps = (text: string, piece: Piece): Piece[] => {
  const steps = findInlineSteps(text.slice(piece.start, piece.end), piece.step !== undefined);
  const [first] = steps;
  if (!first) return [piece];
  const parts = steps.map(({ at, length }, i) => ({
    ...piece,
    start: piece.start + at + length,
    end: steps[i + 1] ? piece.start + (steps[i + 1]?.at ?? 0) : piece.end,
    step: (piece.step ?? 1) + i,
  }));
  return first.at > 0 ? [{ ...piece, end: piece.start + first.at }, ...parts] : parts;
};

/** The pieces of a text, in order. */
export const listPieces = (text: string): Piece[] =>
  listLines(text).flatMap((piece) => splitSteps(text, piece));
