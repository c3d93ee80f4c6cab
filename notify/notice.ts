import type { Happening } from "../core/happenings.ts";

/** Something that happened, in words for a person. */
export type Notice = {
  id: string;
  /** ISO 8601, UTC */
  at: string;
  happening: Happening;
  /** one line: who, and what became of it */
  title: string;
  text: string;
  worker?: string;
  project?: string;
  /** a page that shows more */
  url?: string;
  /** names of channels that the project wants it sent to; all of the user's by default */
  channels?: readonly string[];
};

/** What a channel sends: a notice, or several in one. */
export type Message = Pick<Notice, "id" | "at" | "title" | "text" | "url"> & {
  isUrgent: boolean;
  notices: readonly Notice[];
};

/** Somebody has to do something before the work goes on. */
const URGENT: readonly Happening[] = ["needs-approval", "failed", "stalled", "silent", "unverified"];

/** The text that a channel with one field shows. */
export const wholeText = ({ title, text, url }: Pick<Message, "title" | "text" | "url">): string =>
  [title, text, url ?? ""].filter((part) => part !== "").join("\n");

const LISTED = 15;

/** One message for all that waits for a channel: a storm is one knock on the door. */
export const messageOf = (notices: readonly [Notice, ...Notice[]]): Message => {
  const [first] = notices;
  const isUrgent = notices.some(({ happening }) => URGENT.includes(happening));
  if (notices.length === 1) {
    const { id, at, title, text, url } = first;
    return { id, at, title, text, ...(url === undefined ? {} : { url }), isUrgent, notices };
  }
  const counts = new Map<Happening, number>();
  for (const { happening } of notices) counts.set(happening, (counts.get(happening) ?? 0) + 1);
  const titles = notices.slice(0, LISTED).map(({ title }) => `- ${title}`);
  const rest = notices.length - titles.length;
  return {
    id: `${first.id}+${notices.length - 1}`,
    at: notices.at(-1)?.at ?? first.at,
    title: `${notices.length} things happened: ${[...counts].map(([name, count]) => `${count} ${name}`).join(", ")}`,
    text: [...titles, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n"),
    isUrgent,
    notices,
  };
};
