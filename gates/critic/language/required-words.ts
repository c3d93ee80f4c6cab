/**
 * Which words a line must have for an expression to fit it. A line is words with single blanks around them.
 * `all` of the parts, or `any` of them, or one word of a set; undefined when nothing is required.
 */
export type Required = { all: Required[] } | { any: Required[] } | { words: readonly string[] };

/** What may stand since the last blank: every possibility, or undefined where that cannot be told. */
type Open = ReadonlySet<string> | undefined;
type Walked = { required: Required[]; open: Open };

const MOST_POSSIBILITIES = 2_000;
const BOUNDARY: Open = new Set([""]);

const union = (a: Open, b: Open): Open => {
  if (a === undefined || b === undefined) return undefined;
  const both = new Set([...a, ...b]);
  return both.size > MOST_POSSIBILITIES ? undefined : both;
};
const isSame = (a: Open, b: Open): boolean =>
  a === b || (a !== undefined && b !== undefined && a.size === b.size && [...a].every((word) => b.has(word)));

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
    return { required, open: all.map((one) => one.open).reduce(union) };
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
      const word: Required[] = open === undefined || open.has("") ? [] : [{ words: [...open] }];
      return { required: word, open: BOUNDARY };
    }
    return { required: [], open: this.#append(open, char) };
  }

  #append(open: Open, char: string): Open {
    if (char !== "\\") return open && new Set([...open].map((word) => word + char));
    const escaped = this.#source[this.#at] ?? "";
    this.#at += 1;
    return /\w/.test(escaped) ? undefined : open && new Set([...open].map((word) => word + escaped));
  }
}

export const listRequired = (expression: RegExp): Required => ({
  all: expression.ignoreCase ? [] : new Walker(expression.source).alternatives(undefined).required,
});
