/**
 * Which words a line must have for an expression to fit it. A line is words with single blanks around them.
 * `all` of the parts, or `any` of them, or one word of a set; undefined when nothing is required.
 */
export type Required = { all: Required[] } | { any: Required[] } | { words: readonly string[] };

/**
 * What may stand since the last blank: one of some beginnings of a word; or, where that cannot be told, whatever
 * comes along with the requirements of `otherwise`. Undefined where nothing can be told.
 */
type Open = { beginnings: ReadonlySet<string>; otherwise: readonly Required[] } | undefined;
type Walked = { required: Required[]; open: Open };

const MOST_BEGINNINGS = 2_000;
const BOUNDARY: Open = { beginnings: new Set([""]), otherwise: [] };

const union = (a: Open, b: Open): Open => {
  if (a === undefined || b === undefined) return undefined;
  const beginnings = new Set([...a.beginnings, ...b.beginnings]);
  return beginnings.size > MOST_BEGINNINGS
    ? undefined
    : { beginnings, otherwise: [...a.otherwise, ...b.otherwise] };
};
const isSame = (a: Open, b: Open): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.otherwise.length + b.otherwise.length === 0 &&
    a.beginnings.size === b.beginnings.size &&
    [...a.beginnings].every((word) => b.beginnings.has(word)));

/** An alternative that may end with a whole word has said what it requires. */
const settled = ({ required, open }: Walked): Open =>
  required.length > 0 && (open === undefined || open.beginnings.has(""))
    ? { beginnings: new Set(), otherwise: [{ all: required }] }
    : open;

const append = (open: Open, char: string): Open =>
  open && { ...open, beginnings: new Set([...open.beginnings].map((word) => word + char)) };

/** A blank ends the word. */
const listEnded = (open: Open): Required[] => {
  if (open === undefined || open.beginnings.has("")) return [];
  const words: Required[] = open.beginnings.size === 0 ? [] : [{ words: [...open.beginnings] }];
  return [{ any: [...words, ...open.otherwise] }];
};

const QUANTIFIER = /(?:([?*+])|\{(\d+)(,?)(\d*)\})\??/y;
const CLASS = /\[(?:[^\]\\]|\\.)*\]/y;
const GROUP = /\((?:\?(?::|(<?[=!])))?/y;
const STAR = { least: 0, most: Infinity };

/**
 * Walks along an expression as it is written. Where it holds something that this cannot follow, it only requires
 * less; what it requires is always required.
 */
class Walker {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source) ?? undefined;
    if (match) this.#at += match[0].length;
    return match;
  }

  #quantifier(): { least: number; most: number } {
    const match = this.#take(QUANTIFIER);
    if (!match) return { least: 1, most: 1 };
    const [, sign, least, comma, most] = match;
    if (sign !== undefined)
      return { ...STAR, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
    const from = Number(least);
    return { least: from, most: comma === "" ? from : most === "" ? Infinity : Number(most) };
  }

  /** The alternatives up to the end of the expression or of the group. */
  alternatives(open: Open): Walked {
    const all = [this.#sequence(open)];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      all.push(this.#sequence(open));
    }
    const [only] = all;
    if (all.length === 1 && only) return only;
    const required = all.every((one) => one.required.length > 0)
      ? [{ any: all.map((one): Required => ({ all: one.required })) }]
      : [];
    const endings = all.every((one) => isSame(one.open, BOUNDARY)) ? [BOUNDARY] : all.map(settled);
    return { required, open: endings.reduce(union) };
  }

  #sequence(start: Open): Walked {
    const required: Required[] = [];
    let open = start;
    for (;;) {
      const char = this.#source[this.#at];
      if (char === undefined || char === "|" || char === ")") return { required, open };
      const before = this.#at;
      const first = this.#part(open);
      const { least, most } = this.#quantifier();
      if (least > 0) required.push(...first.required);
      const after = most <= 1 ? first.open : this.#repeat(before, first.open);
      open = least === 0 ? union(open, after) : after;
    }
  }

  /** What may be open after any number of rounds: known when a second round changes nothing. */
  #repeat(part: number, after: Open): Open {
    const end = this.#at;
    this.#at = part;
    const again = this.#part(after).open;
    this.#at = end;
    return isSame(again, after) ? after : undefined;
  }

  #part(open: Open): Walked {
    const group = this.#take(GROUP);
    if (group) {
      const looks = group[1] !== undefined;
      const inside = this.alternatives(looks ? undefined : open);
      this.#at += 1;
      return looks ? { required: [], open } : { ...inside };
    }
    if (this.#take(CLASS)) return { required: [], open: undefined };
    const char = this.#source[this.#at] ?? "";
    this.#at += 1;
    if (char === "^") return { required: [], open: BOUNDARY };
    if (char === "." || char === "$") return { required: [], open: undefined };
    if (char === " ") {
      return { required: listEnded(open), open: BOUNDARY };
    }
    return { required: [], open: this.#append(open, char) };
  }

  #append(open: Open, char: string): Open {
    if (char !== "\\") return append(open, char);
    const escaped = this.#source[this.#at] ?? "";
    this.#at += 1;
    return /\w/.test(escaped) ? undefined : append(open, escaped);
  }
}

export const listRequired = (expression: RegExp): Required => ({
  all: expression.ignoreCase ? [] : new Walker(expression.source).alternatives(undefined).required,
});
