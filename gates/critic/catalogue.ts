/** The five red flags that are built in. */
export type RuleId = "R1" | "R2" | "R3" | "R4" | "R5";

export type Severity = "HIGH" | "MEDIUM" | "LOW";

/** What belongs together: `intent` reads what somebody says, `destructive` reads commands, `own` is a project's. */
export type Pack = "intent" | "destructive" | "own";

/** What is said about a flag: why it is one, and what to do instead (which passes the critic itself). */
export type Rule = { id: string; title: string; severity: Severity; message: string; suggestion: string };

export const RULES: Record<RuleId, Rule & { id: RuleId }> = {
  R1: {
    id: "R1",
    title: "a new repository or service",
    severity: "HIGH",
    message: "A new repository or service splits the work and has to be run, secured and released for good.",
    suggestion: "Add a module to the existing code, or ask the owner whether one more deployment is wanted.",
  },
  R2: {
    id: "R2",
    title: "unverified confidence",
    severity: "MEDIUM",
    message: "Nothing was run that shows it.",
    suggestion: "Run the code or its tests now and report the command with its result.",
  },
  R3: {
    id: "R3",
    title: "clean-up put off",
    severity: "MEDIUM",
    message: "What is left in a poor state now tends to stay.",
    suggestion: "Bring it into its final form in this commit, or make the change smaller.",
  },
  R4: {
    id: "R4",
    title: "code before tests",
    severity: "HIGH",
    message: "A test written after its code shows what the code does, not what it has to do.",
    suggestion: "Write the failing test first, see it fail, and make it pass.",
  },
  R5: {
    id: "R5",
    title: "skipping tests",
    severity: "HIGH",
    message: "What no test covers can break unnoticed.",
    suggestion: "Run the whole suite, find the cause of what is red, and fix it before merging.",
  },
};

const RANK: Record<Severity, number> = { LOW: 0, MEDIUM: 1, HIGH: 2 };

/** Whether a severity is enough for STOP. */
export const reaches = (severity: Severity, stopAt: Severity): boolean => RANK[severity] >= RANK[stopAt];
