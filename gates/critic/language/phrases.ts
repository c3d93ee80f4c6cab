import { defineTable } from "./kept-tables.ts";
import type { Word } from "./words.ts";

/** Several words that mean one: written with `_` and merged wherever they stand together. */
const PHRASES =
  "leave_out turn_off switch_off comment_out take_out rip_out throw_out get_rid_of do_without get_around go_without " +
  "set_up spin_up stand_up fire_up bring_up spin_off start_over start_afresh begin_again start_again start_fresh " +
  "go_live roll_out clean_up tidy_up water_down go_ahead move_on carry_on put_off hold_off come_up_with follow_up " +
  "put_aside set_aside stub_out knock_out wrap_up break_out carve_out split_off split_up pull_out move_out factor_out " +
  "hive_off peel_off put_live hold_back look_for rule_out decide_against fix_up gate_off fence_off filter_out opt_out " +
  "sort_out fill_in bang_out flesh_out hand_over push_back take_care pass_over put_together blow_off code_up";

/** What follows "test" in the name of something that is none. */
const TEST_THINGS =
  "account data database db server environment env user users page id ids runner output container framework machine bench result results report double doubles helper helpers utility utilities matrix doc names name";

/** Several words and the one that stands for them. */
const NOUN_PHRASES = [
  "pull request=pr",
  "merge request=pr",
  "code base=codebase",
  "test suite=suite",
  "test case=test",
  "test cases=test",
  "test coverage=test",
  "test code=test",
  "vitest file=test",
  "jest file=test",
  "service worker=serviceworker",
  "production code=code",
  "source code=code",
  "do away with=do_without",
  "describe block=suite",
  "it block=test",
  "helm upgrade=deploy",
  "kubectl apply=deploy",
  "terraform apply=deploy",
  "code review=codereview",
  "follow by=followedby",
  "followed by=followedby",
  "branch protection=branchprotection",
  "expected failure=xfailed",
  "expect failure=xfailed",
  "expect failures=xfailed",
  "known failure=xfailed",
  "known failures=xfailed",
  "know failure=xfailed",
  "start anew=start_over",
  "begin anew=start_over",
  "start new=start_over",

  "service workers=serviceworker",
  "micro service=microservice",
  "micro-service=microservice",
  "for now=for_now",
  "for the moment=for_now",
  "for the time being=for_now",
  "at first=at_first",
  "at the end=at_end",
  "at the very end=at_end",
  "in the end=at_end",
  "as soon as=once",
  "now that=once",
  "no longer=nolonger",
  "not only=notonly",
  "brand new=new",
  "stand alone=standalone",
  "from scratch=from_scratch",
  "type check=typecheck",
  "build server=buildserver",
  "dev server=devserver",
  "right away=now",
  "straight away=now",
  "by hand=by_hand",
  "even though=although",
  "in spite of=despite",
  "regardless of=despite",
];

/** Verbs that take their particle behind the object: "turn the slow tests off". */
const findParticles = defineTable("separable verbs", () =>
  Object.entries({
    leave: "out aside",
    turn: "off",
    switch: "off",
    comment: "out",
    take: "out",
    rip: "out",
    spin: "up off",
    stand: "up",
    fire: "up",
    put: "off aside",
    hold: "off",
    clean: "up",
    tidy: "up",
    knock: "out",
    stub: "out",
  }),
);

const SEPARATION_WORDS = 7;
const ENDS_CLAUSE = /^[,;:().!?>]$|^(?:and|but|so|then|because|when|if)$/;

/** The phrases that begin with a word, those that become a noun first. */
const findPhrases = defineTable("phrases", () => {
  const all = [
    ...NOUN_PHRASES,
    ...TEST_THINGS.split(" ").map((thing) => `test ${thing}=testthing`),
    ...PHRASES.split(" ").map((phrase) => `${phrase.replaceAll("_", " ")}=${phrase}`),
  ];
  const byFirst = new Map<string, string[]>();
  for (const phrase of all) {
    const first = phrase.replace(/[ =].*/, "");
    byFirst.set(first, [...(byFirst.get(first) ?? []), phrase]);
  }
  return [...byFirst].map(([first, phrases]) => [first, phrases.join("|")] as const);
});

type Phrase = { length: number; lemma: string };

const findPhrase = (words: readonly Word[], at: number): Phrase | undefined => {
  const phrases = findPhrases(words[at]?.lemma ?? "");
  if (phrases === undefined) return undefined;
  for (const phrase of phrases.split("|")) {
    const [parts = "", lemma = ""] = phrase.split("=");
    const phraseWords = parts.split(" ");
    if (matches(words, at, phraseWords)) return { length: phraseWords.length, lemma };
  }
  return undefined;
};

const joinRun = (words: readonly Word[], at: number, length: number, lemma: string): Word => {
  const first = words[at] as Word;
  const last = words[at + length - 1] as Word;
  return { ...first, lemma, end: last.end };
};

const matches = (words: readonly Word[], at: number, phrase: readonly string[]): boolean =>
  phrase.every((part, offset) => words[at + offset]?.lemma === part);

const findParticle = (words: readonly Word[], at: number): number | undefined => {
  const particles = findParticles(words[at]?.lemma ?? "")?.split(" ");
  if (!particles) return undefined;
  for (let i = at + 2; i < Math.min(words.length, at + SEPARATION_WORDS); i += 1) {
    const lemma = words[i]?.lemma ?? "";
    if (ENDS_CLAUSE.test(lemma)) return undefined;
    if (particles.includes(lemma)) {
      // "pull it out of the house": a direction, not a particle.
      return words[i + 1]?.lemma === "of" && words[at]?.lemma !== "leave" && words[at]?.lemma !== "take"
        ? undefined
        : i;
    }
  }
  return undefined;
};

export const mergePhrases = (words: readonly Word[]): Word[] => {
  const merged: Word[] = [];
  const eaten = new Set<number>();
  for (let i = 0; i < words.length; i += 1) {
    if (eaten.has(i)) continue;
    const word = words[i] as Word;
    const phrase = findPhrase(words, i);
    if (phrase) {
      merged.push(joinRun(words, i, phrase.length, phrase.lemma));
      i += phrase.length - 1;
      continue;
    }
    const particle = findParticle(words, i);
    if (particle !== undefined) {
      eaten.add(particle);
      merged.push({ ...word, lemma: `${word.lemma}_${words[particle]?.lemma ?? ""}` });
      continue;
    }
    merged.push(word);
  }
  return merged;
};
