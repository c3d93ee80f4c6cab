import { plural } from "../../../core/plural.ts";
import { reasonLine } from "../../../verdict/describe-verdict.ts";
import { type CheckedReceipt, subjectOf } from "../../../verdict/receipt/check-receipt.ts";
import { clockText, secondsText } from "../../../core/people-time.ts";

/** A receipt for people: what is proved first, then what it says. */
export const receiptLines = ({ statement, keyId, faults }: CheckedReceipt): string[] => {
  const proof =
    faults.length === 0
      ? [`proved: signed by ${keyId?.slice(0, 16) ?? "nobody"}…, nothing changed`]
      : ["NOT PROVED:", ...faults.map((fault) => `  ${fault}`)];
  if (!statement) return proof;
  const { predicate } = statement;
  const { base, gates, tests, acceptance, reasons, sealed, sessions, sandbox } = predicate;
  return [
    ...proof,
    `verdict: ${predicate.verdict}, ${clockText(predicate.at, Date.now())}, of worker ${predicate.worker} (${predicate.agent})`,
    `commit: ${subjectOf(statement).slice(0, 12)} on ${statement.subject[0]?.name ?? "?"}${base ? `, begun at ${base.commit.slice(0, 12)}` : ""}`,
    `task: ${predicate.task.split("\n")[0]?.slice(0, 200) ?? ""}`,
    `judged in ${predicate.where === "clean" ? "a clean checkout" : "the project's own folder"} by ${plural(sealed.length, "sealed file")}`,
    ...gates.map(
      ({ id, rules, result, exitCode, durationMs }) =>
        `  gate ${id}: ${result}${exitCode === undefined ? "" : ` (exit ${exitCode})`}, ${secondsText(durationMs)}${rules === "head" ? "" : `, with the ${rules}`}`,
    ),
    ...(tests
      ? [
          `  tests (${tests.runners.join(", ")}): ${countText(tests.head)}; on the base ${countText(tests.base)}`,
        ]
      : []),
    ...reasons.map((reason) => `  ${reason.weight}: ${reasonLine(reason)}`),
    ...(acceptance
      ? [
          `accepted by ${acceptance.by}, ${clockText(acceptance.at, Date.now())}${acceptance.reason === undefined ? "" : `: ${acceptance.reason}`}`,
        ]
      : []),
    `${plural(sessions.length, "session")}, ${costText(predicate)}, sandbox: ${sandbox.sessions} for sessions, ${sandbox.verdict} for the verdict`,
  ];
};

type Predicate = NonNullable<CheckedReceipt["statement"]>["predicate"];

const countText = ({ passed, failed, skipped }: NonNullable<Predicate["tests"]>["head"]): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** What sessions did not tell is no zero. */
const costText = ({ sessions, costUsd }: Predicate): string => {
  const isUnknown = sessions.some((session) => session.costUsd === undefined);
  return [
    ...(costUsd > 0 || !isUnknown ? [`$${costUsd.toFixed(2)}`] : []),
    ...(isUnknown ? ["cost unknown"] : []),
  ].join(" + ");
};
