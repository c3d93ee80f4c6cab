/** The five red flags that are built in. */
export type RuleId = "R1" | "R2" | "R3" | "R4" | "R5";

export type Severity = "HIGH" | "MEDIUM" | "LOW";

/** What belongs together: `intent` reads what somebody says, `destructive` reads commands, `own` is a project's. */
export type Pack = "intent" | "destructive" | "own";

/** What is said about a flag: why it is one, and what to do instead (which passes the critic itself). */
export type Rule = { title: string; severity: Severity; message: string; suggestion: string };

export const RULES: Record<RuleId, Rule> = {
  R1: {
    title: "a new repository or service",
    severity: "HIGH",
    message: "A new repository or service splits the work and has to be run, secured and released for good.",
    suggestion: "Add a module to the existing code, or ask the owner whether one more deployment is wanted.",
  },
  R2: {
    title: "unverified confidence",
    severity: "MEDIUM",
    message: "Nothing was run that shows it.",
    suggestion: "Run the code or its tests now and report the command with its result.",
  },
  R3: {
    title: "clean-up put off",
    severity: "MEDIUM",
    message: "What is left in a poor state now tends to stay.",
    suggestion: "Bring it into its final form in this commit, or make the change smaller.",
  },
  R4: {
    title: "code before tests",
    severity: "HIGH",
    message: "A test written after its code shows what the code does, not what it has to do.",
    suggestion: "Write the failing test first, see it fail, and make it pass.",
  },
  R5: {
    title: "skipping tests",
    severity: "HIGH",
    message: "What no test covers can break unnoticed.",
    suggestion: "Run the whole suite, find the cause of what is red, and fix it before merging.",
  },
};

/** What no tool call of an agent should do unasked: it takes away what nobody can bring back. */
export type DestructiveId = "D1" | "D2" | "D3" | "D4" | "D5" | "D6" | "D7" | "D8" | "D9" | "D10" | "D11";

/** A rule that a command raises, and the words of it that do. */
export type DestructiveFinding = { rule: DestructiveId; match: string };

export const DESTRUCTIVE_RULES: Record<DestructiveId, Rule> = {
  D1: {
    title: "a push that overwrites or deletes",
    severity: "HIGH",
    message: "What others pushed there is gone from the branch.",
    suggestion: "Push normally; where a rewritten branch is your own, use git push --force-with-lease.",
  },
  D2: {
    title: "uncommitted work thrown away",
    severity: "HIGH",
    message: "Git keeps no copy of what was never committed.",
    suggestion: "Keep it first: git stash push --include-untracked, or commit it on a branch of its own.",
  },
  D3: {
    title: "history rewritten or dropped",
    severity: "HIGH",
    message: "Commits that nothing points to any more are lost sooner or later, to everybody.",
    suggestion: "Add a commit that undoes the change (git revert), or keep the old state under a tag first.",
  },
  D4: {
    title: "a deletion outside the work tree, or of all of it",
    severity: "HIGH",
    message: "What lies there is not of this task, and there is no bin it could be taken out of again.",
    suggestion:
      "Name the one generated folder inside the project, or move what is in the way into a temporary folder.",
  },
  D5: {
    title: "a database's data dropped",
    severity: "HIGH",
    message: "The rows are gone, and a backup is only one once it was restored.",
    suggestion: "Try it on a database made for the test, or write a migration that somebody reads first.",
  },
  D6: {
    title: "something in a cloud or cluster deleted",
    severity: "HIGH",
    message: "Others run on it, and its backups often go with it.",
    suggestion: "Show the plan (terraform plan, kubectl diff, --dry-run) and leave the deletion to a person.",
  },
  D7: {
    title: "disks or the system itself changed",
    severity: "HIGH",
    message: "It changes the machine for everybody on it, and a file system that was overwritten stays so.",
    suggestion: "Work on a file in the project instead of a device, and ask the owner of the machine.",
  },
  D8: {
    title: "a download run unread",
    severity: "HIGH",
    message: "Whoever owns that address decides what runs here.",
    suggestion:
      "Download it into a file, read it, check its digest, or install a pinned version from a registry.",
  },
  D9: {
    title: "publishing",
    severity: "HIGH",
    message:
      "What was published can be installed by anybody from then on, and its version number is used up.",
    suggestion: "Show what would go out (--dry-run, npm pack) and leave the publishing to a person or to CI.",
  },
  D10: {
    title: "git's settings or hooks changed",
    severity: "HIGH",
    message: "From then on git does something else for everybody who works here, also where nobody looks.",
    suggestion:
      "Set it for the one command only: git -c name=value, or the variables GIT_AUTHOR_NAME and the like.",
  },
  D11: {
    title: "processes ended by name",
    severity: "HIGH",
    message: "It ends whatever has that name, other people's work too.",
    suggestion: "End the process that you started, by the number that $! gave.",
  },
};

const RANK: Record<Severity, number> = { LOW: 0, MEDIUM: 1, HIGH: 2 };

/** Whether a severity is enough for STOP. */
export const reaches = (severity: Severity, stopAt: Severity): boolean => RANK[severity] >= RANK[stopAt];
