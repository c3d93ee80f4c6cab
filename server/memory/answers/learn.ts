import { randomUUID } from "node:crypto";
import type { Fault } from "../../../core/errors.ts";
import { analyzeLearning } from "../analysis/analyze.ts";
import { cleanText } from "../store/clean-text.ts";
import { hasReadable, refuseFaults } from "./meanings.ts";
import { contradicts } from "../ranking/contradiction.ts";
import type { Learning, LinkKind, NewLearning, Visibility } from "../store/learning.ts";
import { retrieve, type RetrievePorts } from "../ranking/retrieve.ts";
import type { LearnBody } from "./schemas.ts";
import type { Added, LearningSearch, LearningStore } from "../store/store.ts";

export type LearnPorts = RetrievePorts & { learnings: LearningStore & LearningSearch };

const DEFAULT_CONFIDENCE = 1;
const TEXTS = ["trigger", "learning", "alternative", "reason", "source", "project", "marker"] as const;

/** Stores a learning, or strengthens the one that says the same. What it contradicts is linked, not changed. */
export const learn = async (
  ports: LearnPorts,
  by: { writer: string; scope: string },
  input: LearnBody,
): Promise<Added & { contradicts: string[] }> => {
  const unreadable = hasReadable(input);
  const named = namedLinks(input);
  const why =
    unreadable.length > 0
      ? "trigger and learning are required"
      : "The learning names others that are not there";
  refuseFaults(why, [
    ...unreadable,
    ...(await missingTargets(ports.learnings, named, { scopes: [by.scope] })),
  ]);
  const entry = toEntry(ports.now(), by, input);
  const opposed = await findContradicted(ports, entry);
  const links: { to: string; kind: LinkKind }[] = [
    ...opposed.map((to) => ({ to, kind: "contradicts" as const })),
    ...named,
  ];
  const added = await ports.learnings.add(entry, { idempotencyKey: input.idempotencyKey, links });
  return { ...added, contradicts: links.filter(({ kind }) => kind === "contradicts").map(({ to }) => to) };
};

/** What is stored of an input, all of it clean; trigger and learning are missing where nothing readable is left of them. */
export const toEntry = (
  now: number,
  { writer, scope }: { writer: string; scope: string },
  input: LearnBody,
): NewLearning => {
  const texts = Object.fromEntries(
    TEXTS.map((name) => [name, cleanText(input[name] ?? "")]).filter(([, text]) => text !== ""),
  ) as Pick<NewLearning, (typeof TEXTS)[number]>;
  return {
    id: randomUUID(),
    type: input.type ?? "learning",
    ...texts,
    confidence: input.confidence ?? DEFAULT_CONFIDENCE,
    scope,
    writer,
    createdAt: now,
    ...(input.ttl === undefined ? {} : { expiresAt: now + input.ttl * 1000 }),
  };
};

const LINKS = ["contradicts", "supersedes", "fixes"] as const satisfies readonly LinkKind[];

const namedLinks = (input: LearnBody): { to: string; kind: LinkKind }[] =>
  LINKS.flatMap((kind) => {
    const to = input[kind];
    return to === undefined ? [] : [{ to, kind }];
  });

const missingTargets = async (
  learnings: LearningStore,
  links: readonly { to: string; kind: LinkKind }[],
  visibility: Visibility,
): Promise<Fault[]> => {
  const faults: Fault[] = [];
  for (const { to, kind } of links)
    if (!(await learnings.find(to, visibility)))
      faults.push({ path: `/body/${kind}`, message: `names no learning of this scope: ${to}` });
  return faults;
};

const MAX_COMPARED = 8;

const findContradicted = async (ports: LearnPorts, entry: NewLearning): Promise<string[]> => {
  const visibility = { scopes: [entry.scope] };
  const { ranked } = await retrieve(ports, {
    context: entry.trigger,
    visibility,
    types: [entry.type],
    limit: MAX_COMPARED,
    spell: false,
  });
  const said = analyzeLearning(entry);
  return ranked
    .flatMap(({ learning, analyzed, folded }) => [{ learning, analyzed }, ...folded])
    .filter(({ learning }) => sameProject(learning, entry))
    .filter(({ analyzed }) => contradicts(said, analyzed))
    .map(({ learning }) => learning.id);
};

const sameProject = (a: Learning, b: NewLearning): boolean =>
  a.project === b.project && a.marker === b.marker;
