import { errorText, isInterruption } from "../../core/errors.ts";
import type { Git } from "../../core/git.ts";
import { redactSecrets, withoutNamedSecrets } from "../../core/redaction.ts";
import { reasonLine } from "../../verdict/describe-verdict.ts";
import { describeWorker } from "../../verdict/receipt/worker-facts.ts";
import { type WorkFacts, makeStatement } from "../../verdict/receipt/statement.ts";
import { noteReceipt, writeReceipt } from "../../verdict/receipt/write-receipt.ts";
import type { Seal } from "../../verdict/seal/seal.ts";
import type { Verdict } from "../../verdict/verdict.ts";
import type { WorkerFiles } from "../state/worker-files.ts";
import type { SessionRecord, VerdictRecord, WorkerState } from "../state/worker-state.ts";

type KeepPorts = {
  env: Readonly<Record<string, string | undefined>>;
  git: Git;
  files: Pick<WorkerFiles, "receipts">;
  log: { line: (text: string) => void };
};

type KeepInput = {
  state: WorkerState;
  /** the session that ends now; undefined between sessions */
  record?: SessionRecord;
  seal: Seal;
  verdict: Verdict;
};

const MOST_REASONS = 50;

/**
 * Writes the receipt of a verdict, and puts it to its commit as a note. What keeps it from being written is said, and
 * changes no verdict.
 */
export const keepVerdict = async (ports: KeepPorts, input: KeepInput): Promise<VerdictRecord> => {
  const { verdict, seal } = input;
  const kept: VerdictRecord = {
    word: verdict.word,
    at: verdict.at,
    where: verdict.where,
    // What changed stands in the receipt: a state is read by everybody, all the time.
    reasons: verdict.reasons.slice(0, MOST_REASONS).map((reason) => {
      const told = { ...reason };
      delete told.diff;
      return told;
    }),
    ...(verdict.head ? { head: verdict.head.commit } : {}),
  };
  try {
    const facts = await factsOf(ports, input);
    const { path, text } = writeReceipt(
      ports.env,
      ports.files.receipts,
      withoutNamedSecrets(makeStatement({ verdict, seal, facts })),
    );
    kept.receipt = path;
    ports.log.line(`receipt ${path}`);
    if (verdict.head && verdict.word !== "refused") {
      const why = verdict.reasons[0] ? `: ${reasonLine(verdict.reasons[0])}` : "";
      await noteReceipt(ports.git, {
        commit: verdict.head.commit,
        line: redactSecrets(`Nightshift: ${verdict.word}${why}`),
        text,
      });
    }
  } catch (error) {
    if (isInterruption(error)) throw error;
    ports.log.line(`the receipt could not be saved completely: ${errorText(error)}`);
  }
  return kept;
};

const factsOf = async ({ git }: KeepPorts, { state, record }: KeepInput): Promise<WorkFacts> => {
  const sessions = [
    ...state.sessions.filter(({ number }) => number !== record?.number),
    ...(record ? [record] : []),
  ];
  return describeWorker(git, {
    worker: state.name,
    task: state.task,
    agent: state.agentTitle,
    ...(state.model === undefined ? {} : { model: state.model }),
    sessions,
    sandbox: state.sandbox?.kind ?? "none",
  });
};
