import { createHash } from "node:crypto";
import { type Static, Type } from "../../core/schema.ts";

/** What happened, told by whoever saw it. Nothing secret goes in. */
export type SecurityEvent = {
  /** milliseconds since the epoch */
  at: number;
  event: string;
  outcome: "ok" | "refused" | "failed";
  /** who did it: a token or a key by its name, or nobody that is known */
  principal?: string | undefined;
  address?: string | undefined;
  /** method and path */
  request?: string | undefined;
  status?: number | undefined;
  /** what it was about */
  subject?: string | undefined;
  /** how often the same happened again since the line that told of it first */
  again?: number | undefined;
};

/** Where a chain has come to: its newest line. */
export type Head = { number: number; digest: string };

/** The head of a chain that has no line. */
export const NO_LINE: Head = { number: 0, digest: "" };

/** Tells of lines that were removed because there were too many, so that the chain is whole without them. */
export const ROTATED = "rotated";

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The next line of a chain: JSON with its number, the digest of the line before, and, last, its own. */
export const nextLine = (head: Head, { at, ...event }: SecurityEvent): { line: string; head: Head } => {
  const number = head.number + 1;
  const content = { number, at: new Date(at).toISOString(), ...event, previous: head.digest };
  const digest = digestOf(JSON.stringify(content));
  return { line: JSON.stringify({ ...content, digest }), head: { number, digest } };
};

type Line = Head & { previous: string; event: string; subject?: string };

/** A line whose digest is right, or undefined. */
const readLine = (text: string): Line | undefined => {
  try {
    const { digest, ...content } = JSON.parse(text) as Line;
    // The very text that was written, not only an equal meaning.
    const isWhole = JSON.stringify({ ...content, digest }) === text;
    return isWhole && digestOf(JSON.stringify(content)) === digest ? { ...content, digest } : undefined;
  } catch {
    return undefined;
  }
};

export const rotatedUpTo = (head: Head): string => `lines up to ${head.number}, ${head.digest}`;

/** A line as somebody notes it down elsewhere: its number and its digest. */
export const markOf = ({ number, digest }: Head): string => `${number}:${digest}`;

/** @returns undefined for what is no mark */
export const readMark = (text: string): Head | undefined => {
  const [, number, digest] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return number === undefined || digest === undefined ? undefined : { number: Number(number), digest };
};

export const Verdict = Type.Object({
  ok: Type.Boolean(),
  lines: Type.Integer(),
  newest: Type.Optional(Type.String()),
  fault: Type.Optional(Type.String()),
});
export type Verdict = Static<typeof Verdict>;

/**
 * Whether a log is what was written, line by line: none changed, removed, added or in another order. Lines
 * may lack at the beginning where a later line tells of their removal. `head`, where it is known, tells of
 * lines that lack at the end; it is asked when all are read. `seen` is a line that was noted elsewhere: a log
 * that was rewritten, head and all, does not have it.
 */
export const verifyLines = async (
  lines: AsyncIterable<string> | Iterable<string>,
  head: () => Head | undefined = () => undefined,
  seen?: Head,
): Promise<Verdict> => {
  let count = 0;
  let last: Head = NO_LINE;
  let begin: Head | undefined;
  let isBeginTold = false;
  const broken = (fault: string): Verdict => ({ ok: false, lines: count, fault });
  for await (const text of lines) {
    const line = readLine(text);
    if (!line) return broken(`the line after ${last.number} was changed`);
    if (!begin) last = begin = { number: line.number - 1, digest: line.previous };
    if (seen && last.number === seen.number && last.digest !== seen.digest)
      return broken(`line ${seen.number} is another one than was noted`);
    if (line.number !== last.number + 1 || line.previous !== last.digest)
      return broken(`line ${line.number} does not follow line ${last.number}`);
    last = { number: line.number, digest: line.digest };
    count += 1;
    isBeginTold ||= line.event === ROTATED && line.subject === rotatedUpTo(begin);
  }
  if (begin && begin.number > 0 && !isBeginTold) return broken(`the lines up to ${begin.number} are missing`);
  const newest = head();
  if (newest && newest.number > last.number)
    return broken(`the lines from ${last.number + 1} to ${newest.number} are missing`);
  if (newest && newest.digest !== last.digest)
    return broken(`line ${last.number} is not the last one written`);
  if (seen && seen.number > last.number)
    return broken(`line ${seen.number}, which was noted, is missing; the log ends with line ${last.number}`);
  if (seen && seen.number === last.number && seen.digest !== last.digest)
    return broken(`line ${seen.number} is another one than was noted`);
  if (seen && begin && seen.number < begin.number)
    return broken(`line ${seen.number} has made room; what was noted of it can no longer be compared`);
  return { ok: true, lines: count, ...(last.number > 0 ? { newest: markOf(last) } : {}) };
};
