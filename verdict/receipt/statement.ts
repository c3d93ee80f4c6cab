import { redactSecrets } from "../../core/redaction.ts";
import type { Seal } from "../seal/seal.ts";
import type { GateRun, Verdict, VerdictWord } from "../verdict.ts";

/** A person's word over a verdict. */
export type Acceptance = { by: string; at: string; reason?: string };

/** What a receipt says about the work beside the verdict. */
export type WorkFacts = {
  worker: string;
  task: string;
  agent: string;
  model?: string;
  sessions: {
    number: number;
    startedAt: string;
    endedAt?: string;
    endReason?: string;
    conversationId?: string;
    costUsd?: number;
    reviewCostUsd?: number;
    tokens?: number;
  }[];
  costUsd: number;
  tokens: number;
  /** how sessions were kept from the rest of the machine */
  sandbox: string;
  versions: Record<string, string>;
};

export const ACCEPTED = "complete (accepted)";
export const PREDICATE_TYPE = "urn:nightshift:verdict:v1";
export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";

export type ReceiptInput = {
  verdict: Verdict;
  seal: Pick<Seal, "declared" | "settings">;
  facts: WorkFacts;
};

/** The in-toto statement of a verdict: its subject is the commit that was judged. */
export const makeStatement = ({ verdict, seal, facts }: ReceiptInput) => {
  const { word, gates, sealed, base, head, sandbox, ...rest } = verdict;
  return {
    _type: STATEMENT_TYPE,
    subject: [
      {
        name: verdict.branch ?? "HEAD",
        digest: { gitCommit: head?.commit ?? "", gitTree: head?.tree ?? "" },
      },
    ],
    predicateType: PREDICATE_TYPE,
    predicate: {
      verdict: word as VerdictWord | typeof ACCEPTED,
      judged: word,
      ...rest,
      ...(base ? { base } : {}),
      ...(head ? { head } : {}),
      gates: gates.map(({ outputDigest, ...gate }: GateRun) => ({
        ...gate,
        output: { sha256: outputDigest },
      })),
      sealed: sealed.map(({ path, digest }) => ({ path, digest: { gitBlob: digest } })),
      rules: { declared: seal.declared, settings: seal.settings },
      ...facts,
      sandbox: { sessions: facts.sandbox, verdict: sandbox },
      task: redactSecrets(facts.task),
    },
  };
};

type Made = ReturnType<typeof makeStatement>;
export type Statement = Made & { predicate: Made["predicate"] & { acceptance?: Acceptance } };

/** The same findings with a person's word over them. */
export const acceptStatement = (statement: Statement, acceptance: Acceptance): Statement => ({
  ...statement,
  predicate: { ...statement.predicate, verdict: ACCEPTED, acceptance },
});

export const isStatement = (value: unknown): value is Statement => {
  const { _type, subject, predicateType, predicate } = (value ?? {}) as Partial<Statement>;
  return (
    _type === STATEMENT_TYPE &&
    predicateType === PREDICATE_TYPE &&
    Array.isArray(subject) &&
    typeof subject[0]?.digest === "object" &&
    typeof predicate?.verdict === "string"
  );
};
