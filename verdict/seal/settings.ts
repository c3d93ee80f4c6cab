/** How verdicts are made, as the config stood when the worker was started. */
export type VerifySettings = {
  /** `clean`: a checkout of the commit outside of the project; `tree`: the project's own folder */
  where: "clean" | "tree";
  /** command that makes a checkout ready for the gates; undefined: found out by its lock files */
  prepare: string | undefined;
  /** longest time of all of it */
  minutes: number;
  /** globs beyond the built-in ones */
  sealed: readonly string[];
  /** tests that are new have to fail on the base's code */
  newTestsMustFail: boolean;
  /** globs that the session may change without being asked about it */
  mayChange: readonly string[];
};

export const VERIFY_DEFAULTS: VerifySettings = {
  where: "clean",
  prepare: undefined,
  minutes: 30,
  sealed: [],
  newTestsMustFail: false,
  mayChange: [],
};
