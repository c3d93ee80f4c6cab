import { plural } from "../../../core/plural.ts";
import { workersHome } from "../../../core/paths.ts";
import { instructionTitle } from "../../../worker/state/instruction-title.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { CRASHED, type SessionRecord, currentSession } from "../../../worker/state/worker-state.ts";

import { type ListedWorker } from "../../../worker/state/worker-store.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { type HeldLink, heldNow, linkText } from "../../../worker/state/chain.ts";
import { defineCommand } from "../../command/define-command.ts";
import { details, hangingTable } from "../../command/wrap-words.ts";
import { type CrashFacts, crashRows, findCrashFacts } from "./crash-facts.ts";
import { agoText, clockText } from "../../../core/people-time.ts";
import { verdictLines } from "./show-verdict.ts";
import { contextText, costText, statusText, waitingText } from "./show-worker.ts";

/** Why an agent of a chain is passed over, while it is. */
const heldText = (link: HeldLink): string => {
  const why = heldNow(link, Date.now());
  return why === undefined ? "" : `, held until ${clockText(link.heldUntil ?? "", Date.now())}: ${why}`;
};

/** A supervisor that was killed counted none; what its agent committed is in the repository. */
const commitsText = ({ commits: counted, error, endedAt }: SessionRecord, crash?: CrashFacts): string => {
  if (error === CRASHED) return "commits not counted";
  const commits = endedAt === undefined ? (crash?.commits ?? counted) : counted;
  return plural(commits.length, "commit");
};

const sessionRow = (
  record: SessionRecord,
  { status: now, chain }: ListedWorker,
  crash?: CrashFacts,
): string[] => [
  `  ${record.number}`,
  ...(chain ? [record.agent ?? ""] : []),
  record.endReason ?? (now === "crashed" ? "cut off" : "running"),
  record.contextTokens === undefined || !record.windowTokens
    ? "-"
    : `${Math.round((100 * record.contextTokens) / record.windowTokens)} %`,
  commitsText(record, crash),
  `gates ${(record.gateAfter ?? record.gateBefore)?.verdict ?? "-"}`,
  record.error ?? record.conversationId ?? "",
];

const SOURCES = {
  live: "live from the agent",
  "per-turn": "known after each turn only",
  "after-session": "known after the session only",
  estimate: "estimated",
  none: "not reported",
} as const;

const detailsOf = ({
  worktree,
  lease,
  sandbox,
  verdict,
  ...worker
}: ListedWorker): [string, string | undefined][] => [
  ["task", instructionTitle(worker.task)],
  ["directory", worker.dir],
  ["worktree", worktree && `branch ${worktree.branch} of ${worktree.repository}`],
  ["queue", lease && `task ${lease.task}, run ${lease.token}, pool ${lease.pool}`],
  ["agent", `${worker.agentTitle}${worker.model ? `, model ${worker.model}` : ""}`],
  ...(worker.chain ?? []).map((link, index): [string, string] => [
    index === 0 ? "chain" : "",
    `${linkText(link)}${index === worker.link ? " (its turn)" : ""}${heldText(link)}`,
  ]),
  ["sessions", `${currentSession(worker)} of at most ${worker.max}`],
  [
    "context",
    worker.context ? `${contextText(worker)} (${SOURCES[worker.context.source]})` : "not reported yet",
  ],
  ["cost", `${costText(worker)}${worker.tokens > 0 ? `, ${plural(worker.tokens, "token")}` : ""}`],
  ["gates", worker.lastGate ? withWhy(worker.lastGate.verdict, worker.lastGate.problem) : "have not run yet"],
  ["sandbox", sandbox && withWhy(sandbox.kind, sandbox.reason)],
  ...(verdict ? verdictLines(verdict) : []).map((line, index): [string, string] => [
    index === 0 ? "verdict" : "",
    line,
  ]),
  ["memory", worker.memory],
  ["started", agoText(worker.startedAt, Date.now())],
  ["waiting", worker.waitingUntil && waitingText(worker)],
  ["reason", worker.stopReason],
  ...worker.remarks.map((remark): [string, string] => ["remark", remark]),
];

const withWhy = (what: string, why: string | undefined): string => (why ? `${what}: ${why}` : what);

export const status = defineCommand({
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  examples: ["worker status docs", "worker status docs --json"],
  run: async ({ args }, { env, cwd, reporter }) => {
    const home = workersHome(env);
    const worker = getNamedWorker({ home, cwd }, args.name);
    const files = workerFiles(home, worker.name);
    const crash = worker.status === "crashed" ? await findCrashFacts(worker, env) : undefined;
    const rows = [...detailsOf(worker), ...(crash ? crashRows(crash) : [])];
    const { log, state, handoffs } = files;
    reporter.answer({ ...worker, ...(crash ? { crash } : {}), log, state, handoffs }, [
      `${reporter.style.bold(worker.name)}  ${statusText(worker, reporter.style)}`,
      ...details([...rows, ["log", log], ["state", state]], reporter),
      ...(worker.sessions.length > 0 ? ["", "  sessions"] : []),
      ...hangingTable(
        worker.sessions.map((record) => sessionRow(record, worker, crash)),
        reporter,
      ),
    ]);
    if (worker.status === "crashed")
      reporter.note(`its supervisor is gone; go on with: worker resume ${worker.name}`);
  },
});
