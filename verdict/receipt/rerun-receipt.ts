import type { JudgePorts } from "../judge-ports.ts";
import { judge } from "../judge.ts";
import { makeSeal } from "../seal/seal.ts";
import { subjectOf } from "./check-receipt.ts";
import type { Statement } from "./statement.ts";

/** The gates of a receipt again, in a clean checkout of its commit; answers with what came out otherwise. */
export const rerunReceipt = async (
  ports: JudgePorts,
  { statement, dir }: { statement: Statement; dir: string },
): Promise<string[]> => {
  const { base, rules, gates, task } = statement.predicate;
  const top = (await ports.git.run(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  const seal = await makeSeal(
    { git: ports.git, now: ports.clock.now },
    { top, declared: rules.declared, gatesRoot: dir, settings: rules.settings, base: base?.commit },
  );
  const judged = await judge(ports, {
    dir,
    gatesRoot: dir,
    // Installed packages were not watched here: what a lock file names is installed again.
    seal: { ...seal, folders: [], base: base ? seal.base : undefined },
    task,
    gateTimeoutMs: rules.settings.minutes * 60_000,
    commit: subjectOf(statement),
  });
  if (!judged) return ["run: there is no such commit"];
  const now = new Map(judged.verdict.gates.map((gate) => [`${gate.rules} ${gate.id}`, gate]));
  const others = gates.flatMap(({ id, rules: by, result }) => {
    const found = now.get(`${by} ${id}`);
    return found?.result === result
      ? []
      : [`gate ${id}: was ${result}, and is ${found?.result ?? "not run"} now`];
  });
  return judged.verdict.gates.length === 0 && gates.length > 0
    ? [`run: no gate ran: ${judged.verdict.reasons.map(({ message }) => message).join("; ")}`]
    : others;
};
