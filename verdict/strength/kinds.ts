/**
 * What can make a check weaker. `mayBeRight`: the change may belong to a behaviour that changed; no rule can
 * decide it, so a person does. `isNeverRight`: no file in which it was allowed to change makes it right.
 */
export const STRENGTH_KINDS = {
  "test-removed": { mayBeRight: false, isNeverRight: false },
  "removed-with-subject": { mayBeRight: true, isNeverRight: false },
  "test-skipped": { mayBeRight: false, isNeverRight: false },
  "test-focused": { mayBeRight: false, isNeverRight: true },
  "test-emptied": { mayBeRight: false, isNeverRight: true },
  "always-true": { mayBeRight: false, isNeverRight: true },
  "assertions-fewer": { mayBeRight: false, isNeverRight: false },
  "assertion-loosened": { mayBeRight: false, isNeverRight: false },
  "assertion-swallowed": { mayBeRight: false, isNeverRight: true },
  "expectation-changed": { mayBeRight: true, isNeverRight: false },
  "snapshot-rewritten": { mayBeRight: true, isNeverRight: false },
  "expected-data-changed": { mayBeRight: true, isNeverRight: false },
  "threshold-lowered": { mayBeRight: false, isNeverRight: false },
  "suppression-added": { mayBeRight: false, isNeverRight: false },
  "any-added": { mayBeRight: false, isNeverRight: false },
  "rule-relaxed": { mayBeRight: false, isNeverRight: false },
  "timeout-raised": { mayBeRight: false, isNeverRight: false },
  "retries-raised": { mayBeRight: false, isNeverRight: false },
  "exit-swallowed": { mayBeRight: false, isNeverRight: false },
  "check-removed": { mayBeRight: false, isNeverRight: false },
  "tests-narrowed": { mayBeRight: false, isNeverRight: false },
  "subject-mocked": { mayBeRight: false, isNeverRight: true },
  "check-patched": { mayBeRight: false, isNeverRight: true },
  "test-branch": { mayBeRight: false, isNeverRight: false },
  "hard-coded": { mayBeRight: false, isNeverRight: true },
  "fits-the-tests": { mayBeRight: true, isNeverRight: true },
  "tests-itself": { mayBeRight: true, isNeverRight: true },
  "asks-where-it-runs": { mayBeRight: true, isNeverRight: false },
  "runner-in-code": { mayBeRight: true, isNeverRight: false },
  "reads-tests": { mayBeRight: false, isNeverRight: false },
  "not-read": { mayBeRight: true, isNeverRight: false },
} as const satisfies Record<string, { mayBeRight: boolean; isNeverRight: boolean }>;

export type StrengthKind = keyof typeof STRENGTH_KINDS;

/** One way in which the check became weaker, named to the line (of HEAD; of the base for what is gone). */
export type StrengthFinding = {
  kind: StrengthKind;
  file: string;
  line: number;
  message: string;
  language: string;
};
