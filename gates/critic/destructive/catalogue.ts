import type { Rule } from "../catalogue.ts";

/** What no tool call of an agent should do unasked: it takes away what nobody can bring back. */
export type DestructiveId = "D1" | "D2" | "D3" | "D4" | "D5" | "D6" | "D7" | "D8" | "D9" | "D10" | "D11";

/** A rule that a command raises, and the words of it that do. */
export type DestructiveFinding = { rule: DestructiveId; match: string };

export const DESTRUCTIVE_RULES: Record<DestructiveId, Rule & { id: DestructiveId }> = {
  D1: {
    id: "D1",
    title: "a push that overwrites or deletes",
    severity: "HIGH",
    message: "What others pushed there is gone from the branch.",
    suggestion: "Push normally; where a rewritten branch is your own, use git push --force-with-lease.",
  },
  D2: {
    id: "D2",
    title: "uncommitted work thrown away",
    severity: "HIGH",
    message: "Git keeps no copy of what was never committed.",
    suggestion: "Keep it first: git stash push --include-untracked, or commit it on a branch of its own.",
  },
  D3: {
    id: "D3",
    title: "history rewritten or dropped",
    severity: "HIGH",
    message: "Commits that nothing points to any more are lost sooner or later, to everybody.",
    suggestion: "Add a commit that undoes the change (git revert), or keep the old state under a tag first.",
  },
  D4: {
    id: "D4",
    title: "a deletion outside the work tree, or of all of it",
    severity: "HIGH",
    message: "What lies there is not of this task, and there is no bin it could be taken out of again.",
    suggestion:
      "Name the one generated folder inside the project, or move what is in the way into a temporary folder.",
  },
  D5: {
    id: "D5",
    title: "a database's data dropped",
    severity: "HIGH",
    message: "The rows are gone, and a backup is only one once it was restored.",
    suggestion: "Try it on a database made for the test, or write a migration that somebody reads first.",
  },
  D6: {
    id: "D6",
    title: "something in a cloud or cluster deleted",
    severity: "HIGH",
    message: "Others run on it, and its backups often go with it.",
    suggestion: "Show the plan (terraform plan, kubectl diff, --dry-run) and leave the deletion to a person.",
  },
  D7: {
    id: "D7",
    title: "disks or the system itself changed",
    severity: "HIGH",
    message: "It changes the machine for everybody on it, and a file system that was overwritten stays so.",
    suggestion: "Work on a file in the project instead of a device, and ask the owner of the machine.",
  },
  D8: {
    id: "D8",
    title: "a download run unread",
    severity: "HIGH",
    message: "Whoever owns that address decides what runs here.",
    suggestion:
      "Download it into a file, read it, check its digest, or install a pinned version from a registry.",
  },
  D9: {
    id: "D9",
    title: "publishing",
    severity: "HIGH",
    message:
      "What was published can be installed by anybody from then on, and its version number is used up.",
    suggestion: "Show what would go out (--dry-run, npm pack) and leave the publishing to a person or to CI.",
  },
  D10: {
    id: "D10",
    title: "git's settings or hooks changed",
    severity: "HIGH",
    message: "From then on git does something else for everybody who works here, also where nobody looks.",
    suggestion:
      "Set it for the one command only: git -c name=value, or the variables GIT_AUTHOR_NAME and the like.",
  },
  D11: {
    id: "D11",
    title: "processes ended by name",
    severity: "HIGH",
    message: "It ends whatever has that name, other people's work too.",
    suggestion: "End the process that you started, by the number that $! gave.",
  },
};
