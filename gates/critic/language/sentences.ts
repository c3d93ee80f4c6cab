import { hasDigit, listSentenceEnds } from "./tokens.ts";
import { readWords, type Word } from "./words.ts";

/** One sentence, list item or command line, with what its place in the text says about it. */
export type Sentence = {
  words: Word[];
  /** the lemmas with single blanks around them: what frames are matched against */
  line: string;
  start: number;
  end: number;
  question: boolean;
  /** number of its step in a plan (numbered list, "step 2", "day 1", a > b > c) */
  step?: number;
  /** which plan the step belongs to */
  plan?: number;
  checked?: boolean;
  /** the Markdown heading it stands under */
  heading?: string;
};

type Span = { start: number; end: number };
type Piece = Span & { step?: number; plan?: number; checked?: boolean; heading?: string };

const FENCE = /^[ \t]*(```|~~~)[^\n]*\n([\s\S]*?)(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm;

const SHELL_COMMANDS = ["sed", "perl", "awk", "sh -c", "xargs", "git", "curl", "python", "node -e"];

const findSpans = (text: string): { quotes: Span[]; code: Span[] } => {
  const code: Span[] = [];
  const quotes: Span[] = [];
  /** A text without any of the marks that a pattern needs does not have to be searched for it. */
  const take = (spans: Span[], pattern: RegExp, ...needs: string[]): void => {
    if (!needs.some((mark) => text.includes(mark))) return;
    for (const match of text.matchAll(pattern)) {
      const start = match.index;
      if (code.some((span) => start >= span.start && start < span.end)) continue;
      spans.push({ start, end: start + match[0].length });
    }
  };
  take(code, FENCE, "```", "~~~");
  take(code, /`[^`\n]+`/g, "`");
  // What stands between the quotes of a shell command is run.
  if (SHELL_COMMANDS.some((command) => text.includes(command)))
    take(
      code,
      /(?:^|[\s`;&|])(?:sed|perl|awk|(?:ba|z)?sh -c|xargs|git|curl|python3? -c|node -e)\s-?[^\n`]*["'][^\n`]*/g,
      '"',
      "'",
    );
  // A quoted key or value of JSON is code that goes in, not somebody's words.
  take(code, /"[\w:-]+":\s*"[^"\n]*"/g, '":');
  // A commit message given on the command line is written by the speaker.
  take(code, /\s-a?m\s+(?:"[^"\n]*"|'[^'\n]*')/g, " -");
  take(quotes, /"[^"\n]{1,400}"/g, '"');
  take(quotes, /[“„«][^”“»\n]{1,400}[”“»]/g, "“", "„", "«");
  take(quotes, /(?<=^|[\s(:])'[^'\n]{2,400}'(?=$|[\s,.;:!?)])/gm, "'");
  return { quotes, code };
};

const LIST_ITEM =
  /^[ \t]*(?:[-*+•]|(\d{1,2})[.):]|(?:\*\*)?(?:step|day|week|phase|part|sprint|task|iteration)\s+(\d{1,2})\b(?:\*\*)?)[ \t]*/i;
const CHECKBOX = /^[ \t]*(?:[-*+][ \t]*)?\[([ xX])\][ \t]*/;
const HEADING = /^[ \t]*(?:#{1,6}[ \t]+(.+)|\*\*([^*\n]{2,40})\*\*:?[ \t]*|([A-Z][\w ]{2,24}):[ \t]*)$/;
const INLINE_STEPS =
  /(?<=^|\s)(?:\(?(\d{1,2})[.)]\s+(?=\S)|(?:step|day|phase|week|part)\s+(\d{1,2})\s*[:.\-–—)]+\s*)/gi;
const NAMED_STEPS =
  /\b(?:(morning|monday|first thing|today)|(afternoon|tuesday|tomorrow|evening|wednesday|next day))\s*:\s*/gi;

/** What announces that the bullets below it come one after the other. */
const PLAN_LEAD =
  /^.{0,40}\b(?:plan|steps?|to-?do|to do|tasks?|approach|roadmap|checklist|order|agenda|next up)\b.{0,30}$/i;

// What an expression cannot do without is looked for first: to compile one takes longer than to read the line.
const mayBeHeading = (content: string): boolean => content.endsWith(":") || "#*".includes(content[0] ?? " ");
const mayBeItem = (content: string): boolean => "-*+•".includes(content[0] ?? "") || hasDigit(content);

/** Lines of a text, hard-wrapped prose put together again, as pieces. */
const findLines = (text: string): Piece[] => {
  const pieces: Piece[] = [];
  let offset = 0;
  let heading: string | undefined;
  let plan = 0;
  let lastWasItem = false;
  let lead = "";
  for (const line of text.split("\n")) {
    const start = offset;
    offset += line.length + 1;
    const content = line.trim();
    if (content === "" || content.startsWith("```") || content.startsWith("~~~")) {
      if (content !== "") lastWasItem = false;
      pieces.push({ start, end: start });
      continue;
    }
    const head = mayBeHeading(content) ? HEADING.exec(line) : null;
    if (head) {
      heading = (head[1] ?? head[2] ?? head[3] ?? "").trim().toLowerCase();
      lead = heading;
      lastWasItem = false;
      pieces.push({ start, end: start });
      continue;
    }
    const box = content.includes("[") ? CHECKBOX.exec(line) : null;
    const item = box ?? (mayBeItem(content) ? LIST_ITEM.exec(line) : null);
    const place = heading === undefined ? {} : { heading };
    if (item) {
      if (!lastWasItem) plan += 1;
      lastWasItem = true;
      const number = box ? undefined : (item[1] ?? item[2]);
      const isPlan = box !== null || (number === undefined && PLAN_LEAD.test(lead));
      const step = isPlan ? pieces.length + 1 : number === undefined ? undefined : Number(number);
      pieces.push({
        start: start + item[0].length,
        end: start + line.length,
        ...place,
        ...(step === undefined ? {} : { step, plan }),
        ...(box ? { checked: box[1] !== " " } : {}),
      });
      continue;
    }
    const previous = pieces.at(-1);
    const wrapped = previous !== undefined && previous.end > previous.start && previous.end === start - 1;
    const previousText = wrapped ? text.slice(previous.start, previous.end) : "";
    if (wrapped && (previousText.length % 1000) + 0 > 45 && !/[.!?:;`]\s*$/.test(previousText))
      previous.end = start + line.length;
    else {
      lastWasItem = false;
      lead = line;
      pieces.push({ start, end: start + line.length, ...place });
    }
  }
  return pieces.filter(({ start, end }) => end > start);
};

const LISTED =
  /^\s*(?:the |my |our )?(?:steps?|plan|todo|to do|order|approach|sequence|workflow|roadmap|agenda|tasks?|next steps)(?: [\w ]{0,20})?:\s*/i;
const ARROW = /\s(?:->|=>|→|>{1,2})\s/g;

const findInlineSteps = (body: string): RegExpExecArray[] =>
  hasDigit(body) ? [...body.matchAll(INLINE_STEPS)] : [];

const splitSteps = (text: string, piece: Piece, planBase: number): Piece[] => {
  const body = text.slice(piece.start, piece.end);
  if (piece.step !== undefined) {
    // "1) schema change 2) resolver 3) tests" begins like a list item and holds the whole list.
    const more = findInlineSteps(body).filter((m) => Number(m[1] ?? m[2]) > (piece.step ?? 0));
    if (more.length === 0) return [piece];
    const starts = [{ at: 0, from: 0, step: piece.step }];
    for (const m of more)
      starts.push({ at: m.index, from: m.index + m[0].length, step: Number(m[1] ?? m[2]) });
    return starts.map(({ from, step }, i) => ({
      ...piece,
      start: piece.start + from,
      end: piece.start + (starts[i + 1]?.at ?? body.length),
      step,
    }));
  }
  const marks = findInlineSteps(body);
  const cut = (starts: { at: number; from: number; step: number }[]): Piece[] => {
    const parts: Piece[] = [];
    const first = starts[0];
    if (first && first.at > 0) parts.push({ ...piece, end: piece.start + first.at });
    for (const [i, { from, step }] of starts.entries())
      parts.push({
        ...piece,
        start: piece.start + from,
        end: piece.start + (starts[i + 1]?.at ?? body.length),
        step,
        plan: planBase,
      });
    return parts;
  };
  if (marks.length >= 2)
    return cut(marks.map((m) => ({ at: m.index, from: m.index + m[0].length, step: Number(m[1] ?? m[2]) })));
  const boxes = body.includes("[") ? [...body.matchAll(/\[( |x|X)\]\s*/g)] : [];
  if (boxes.length >= 2)
    return cut(boxes.map((m, i) => ({ at: m.index, from: m.index + m[0].length, step: i + 1 })));
  const listed = body.includes(":") ? LISTED.exec(body) : null;
  const semicolons = listed ? body.split(";").length : 0;
  if (listed && (semicolons >= 3 || (semicolons === 1 && body.split(",").length >= 3))) {
    const separator = semicolons >= 3 ? ";" : ",";
    const starts = [{ at: listed[0].length, from: listed[0].length, step: 1 }];
    for (let at = body.indexOf(separator, listed[0].length); at >= 0; at = body.indexOf(separator, at + 1))
      starts.push({ at, from: at + 1, step: starts.length + 1 });
    return cut(starts);
  }
  const named = body.includes(":") ? [...body.matchAll(NAMED_STEPS)] : [];
  if (named.length >= 2 && named.some((m) => m[1]) && named.some((m) => m[2]))
    return cut(named.map((m, i) => ({ at: m.index, from: m.index + m[0].length, step: i + 1 })));
  const arrows = body.includes(">") || body.includes("→") ? [...body.matchAll(ARROW)] : [];
  if (arrows.length >= 2) {
    const starts = [{ at: 0, from: 0, step: 1 }];
    for (const m of arrows)
      starts.push({ at: m.index, from: m.index + m[0].length, step: starts.length + 1 });
    return cut(starts);
  }
  return [piece];
};

const ABBREVIATIONS = "e.g. i.e. etc. vs. resp. approx. incl. no. nr. cf. mr. mrs. dr.".split(" ");
const LONGEST_ABBREVIATION = 7;
const endsWithAbbreviation = (text: string): boolean => {
  const tail = text.slice(-LONGEST_ABBREVIATION - 1).toLowerCase();
  return ABBREVIATIONS.some(
    (short) => tail.endsWith(short) && !/\w/.test(tail[tail.length - short.length - 1] ?? ""),
  );
};

const splitSentences = (text: string, piece: Piece): Piece[] => {
  const body = text.slice(piece.start, piece.end);
  const parts: Piece[] = [];
  let from = 0;
  for (const { mark, end: to } of listSentenceEnds(body)) {
    if (mark === "." && endsWithAbbreviation(body.slice(0, to))) continue;
    parts.push({ ...piece, start: piece.start + from, end: piece.start + to });
    from = to;
  }
  if (body.slice(from).trim() !== "") parts.push({ ...piece, start: piece.start + from, end: piece.end });
  return parts;
};

const LONGEST = 800;

/** A sentence longer than anybody writes is cut at a blank: time must not grow with its square. */
const cutLong = (text: string, piece: Piece): Piece[] => {
  if (piece.end - piece.start <= LONGEST) return [piece];
  const blank = text.indexOf(" ", piece.start + LONGEST);
  if (blank < 0 || blank >= piece.end) return [piece];
  return [{ ...piece, end: blank }, ...cutLong(text, { ...piece, start: blank + 1 })];
};

const isQuestion = (sentence: string): boolean => sentence.includes("?") && /\?["')\]]*\s*$/.test(sentence);

/** The sentences of a text, in order. */
export const readSentences = (text: string): Sentence[] => {
  const spans = findSpans(text);
  return findLines(text)
    .flatMap((piece, i) => splitSteps(text, piece, 1000 + i))
    .flatMap((piece) => splitSentences(text, piece))
    .flatMap((piece) => cutLong(text, piece))
    .map((piece): Sentence => {
      const words = readWords(text, piece, spans);
      const { start, end, ...place } = piece;
      return {
        words,
        line: ` ${words.map(({ lemma }) => lemma).join(" ")} `,
        start,
        end,
        question: isQuestion(text.slice(start, end)),
        ...place,
      };
    })
    .filter(({ words }) => words.length > 0)
    .map(asStaccato);
};

const STACCATO_WORDS = 6;
/** "Finish coding. Write tests. Submit.": three or more clipped sentences are the steps of a plan. */
const asStaccato = (sentence: Sentence, index: number, all: readonly Sentence[]): Sentence =>
  sentence.step === undefined && all.length >= 3 && all.every(({ words }) => words.length <= STACCATO_WORDS)
    ? { ...sentence, step: index + 1, plan: 0 }
    : sentence;
