import type { Git } from "../core/git.ts";
import type { Case } from "./case.ts";
import { decideWord } from "./decide-word.ts";
import type { GatesAnswer } from "./judge-ports.ts";
import { review, weighReview } from "./reviewer/review.ts";
import { type Source, makeRepository } from "./room/repository.ts";
import { openRoom } from "./room/room.ts";

/**
 * Has another agent look at work that no rule refuses, in a checkout that is thrown away afterwards: whatever it
 * does there changes nothing. It cannot overrule a red gate, as it is not asked about one.
 */
export const askForReview = async (
  it: Case,
  git: Git,
  { source, answer }: { source: Source; answer: GatesAnswer | undefined },
): Promise<void> => {
  const { ports, input, base, head, branch } = it;
  if (!ports.review || !base || !answer || decideWord(it.reasons) === "refused") return;
  const { ask, settings, round } = ports.review;
  ports.onStep?.("asking the reviewer");
  const room = openRoom(ports.env);
  try {
    const checkout = { tree: room.tree, source, branch, refs: input.seal.refs, isCheckedOut: true };
    await makeRepository(ports.env, { ...checkout, commit: head.commit });
    it.review = await review({ git, ask }, settings, {
      dir: room.tree,
      objects: source.objects,
      task: input.task,
      report: answer.report,
      base: base.commit,
      head: head.commit,
      round,
    });
    it.reasons.push(...weighReview(it.review, settings));
  } finally {
    room.remove();
  }
};
