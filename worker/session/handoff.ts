import type { GitState } from "../../core/git.ts";
import { redactSecrets } from "../../core/redaction.ts";
import type { Acknowledgement, GateRecord, SessionEndReason } from "../state/worker-state.ts";
import { renderRescue, listPaths } from "./describe-rescue.ts";
import { type ToolUse, renderTools } from "./tool-use.ts";
import type { Rescue } from "./rescue.ts";

export type HandoffFacts = {
  worker: string;
  session: number;
  /** the agent that wrote it, with its model */
  agent?: string | undefined;
  endReason: SessionEndReason;
  at: string;
  conversationId?: string | undefined;
  git?: Pick<GitState, "branch" | "head" | "dirtyDigest" | "changed"> | undefined;
  commits: readonly string[];
  gate?: GateRecord | undefined;
  rescue?: Rescue | undefined;
  /** the agent's own words; undefined when it gave none */
  note: string | undefined;
  /** what its tools did */
  tools?: readonly ToolUse[];
  /** last messages of the agent, for a note that has to be made */
  texts: readonly string[];
  /** why nothing is known of git, in a repository that it cannot read */
  problem?: string | undefined;
  /** the handoff before this one: its note still stands where this session left none */
  previous?: { session: number; text: string | undefined } | undefined;
};

const MADE_TEXT_BUDGET = 3_000;
/** The whole of it goes into the next prompt, and the agent was asked for 400 words. */
const NOTE_BUDGET = 20_000;

const NOTE = "## Note";

const shorten = (note: string): string =>
  note.length > NOTE_BUDGET
    ? `${note.slice(0, NOTE_BUDGET)}\n[… ${note.length - NOTE_BUDGET} characters cut]`
    : note;

/** The last note that stands in an earlier handoff, under whose it was; the one of its own session, or one that it carried on itself. */
const earlierNote = (previous: HandoffFacts["previous"]): string[] => {
  const text = previous?.text ?? "";
  const carried = text.lastIndexOf(`\n${NOTE} of session `);
  const own = text.indexOf(`\n${NOTE}\n`);
  if (carried >= 0) return ["", text.slice(carried).trim()];
  if (!previous || own < 0) return [];
  return ["", `${NOTE} of session ${previous.session}`, text.slice(own + NOTE.length + 1).trimEnd()];
};

/** A note for an agent that left none: its last words, within a budget, the newest kept. */
const madeNote = (texts: readonly string[]): string => {
  const kept: string[] = [];
  let left = MADE_TEXT_BUDGET;
  for (const text of texts.toReversed()) {
    if (left <= 0) break;
    kept.unshift(text.length > left ? `…${text.slice(text.length - left)}` : text);
    left -= text.length;
  }
  return kept.length === 0
    ? "The session left no note and said nothing. See the commits and the work tree."
    : `The session left no note. Its last messages were:\n\n${kept.join("\n\n")}`;
};

/** The handoff of a session as Markdown: facts first, then the agent's words (or what stands in for them). */
export const renderHandoff = (facts: HandoffFacts): string => {
  const { git, gate, rescue } = facts;
  const lines = [
    `# Handoff of ${facts.worker}, session ${facts.session}`,
    "",
    `- ended: ${facts.at} (${facts.endReason})`,
    ...(facts.agent === undefined ? [] : [`- agent: ${facts.agent}`]),
    ...(facts.conversationId ? [`- conversation: ${facts.conversationId}`] : []),
    `- state: ${git ? stateLine(git) : facts.problem === undefined ? "not a git repository" : `unknown (${facts.problem})`}`,
    `- commits: ${facts.commits.length === 0 ? "none" : facts.commits.join(", ")}`,
    ...(gate ? [`- gates: ${gate.verdict}${gate.problem ? ` (${gate.problem})` : ""}`] : []),
  ];
  if (git && git.changed.length > 0)
    lines.push("", "Uncommitted:", listPaths(git.changed.map(({ code, path }) => `${code.trim()} ${path}`)));
  if (rescue) lines.push(...renderRescue(rescue));
  const note = facts.note?.trim();
  lines.push(
    ...renderTools(facts.session, facts.tools ?? [], note ? undefined : (facts.previous?.text ?? "")),
  );
  lines.push("", NOTE, "", note ? shorten(note) : madeNote(facts.texts));
  if (!note) lines.push(...earlierNote(facts.previous));
  return `${redactSecrets(lines.join("\n"))}\n`;
};

/** What the agent's first words say about where the work stands, and whether that agrees with the facts. */
export const readAcknowledgement = (
  firstText: string | undefined,
  git: Pick<GitState, "branch" | "head" | "dirtyDigest">,
): { acknowledgement: Acknowledgement; said?: string } => {
  const match = /^\W*ACK:\s*branch=(\S+)\s+head=([0-9a-f]+|none)\b(?:\s+dirty=(\w+))?/m.exec(firstText ?? "");
  if (!match) return { acknowledgement: "missing" };
  const [, branch, head = "", dirty] = match;
  const sameHead = git.head
    ? head.length >= 7 && (git.head.startsWith(head) || head.startsWith(git.head))
    : head === "none";
  const isSame =
    branch === (git.branch ?? "none") && sameHead && (dirty === undefined || dirty === git.dirtyDigest);
  if (isSame) return { acknowledgement: "given" };
  return {
    acknowledgement: "contradicted",
    said: `branch=${branch} head=${head}${dirty === undefined ? "" : ` dirty=${dirty}`}`,
  };
};

/** Where a work tree stands, in one line: what a handoff carries and the next session acknowledges. */
export const stateLine = ({
  branch,
  head,
  dirtyDigest,
}: Pick<GitState, "branch" | "head" | "dirtyDigest">): string =>
  `branch=${branch ?? "none"} head=${head?.slice(0, 12) ?? "none"} dirty=${dirtyDigest}`;
