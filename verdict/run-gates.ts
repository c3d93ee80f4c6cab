import type { Confined } from "./confine.ts";
import { type Case, leftMs } from "./case.ts";
import { weighGates } from "./decide-word.ts";
import type { GatesAnswer } from "./judge-ports.ts";
import type { GateRules } from "./verdict.ts";

type Run = Confined & {
  dir: string;
  root: string;
  rules: GateRules;
  isOld?: boolean;
};

/** The gates of the project in one folder; those by old rules are weighed by who asked. */
export const runGates = async (
  it: Case,
  { dir, root, env, confinement, rules, isOld = false }: Run,
): Promise<GatesAnswer> => {
  const { ports, input } = it;
  if (!isOld) ports.onStep?.("gates");
  const answer = await ports.runGates({
    dir,
    root,
    declared: input.seal.declared,
    env,
    confinement,
    timeoutMs: Math.min(input.gateTimeoutMs, leftMs(it)),
    signal: ports.signal,
  });
  it.runs.push(...answer.runs.map((run) => ({ ...run, rules })));
  if (!isOld) it.reasons.push(...weighGates(answer, input.seal.settings.where));
  return answer;
};
