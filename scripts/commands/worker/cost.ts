import { workersHome } from "../../../core/paths.ts";
import { plural } from "../../../core/plural.ts";
import { followLedger } from "../../../worker/ledger/read-ledger.ts";
import { type CostRow, GROUPS, sumLedger } from "../../../worker/ledger/sum-ledger.ts";
import { defineCommand } from "../../command/define-command.ts";
import { sinceMsOf } from "../../../core/people-time.ts";
import { listing } from "../../command/table.ts";

const UNKNOWN = "unknown";

/** "$1.20", "unknown", or "$1.20 + unknown" where some sessions told no cost. */
const moneyText = ({ costUsd, costUnknown }: CostRow): string =>
  [...(costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`]), ...(costUnknown > 0 ? [UNKNOWN] : [])].join(
    " + ",
  ) || "-";

/** "950", "12.3k", "1.2M". */
const countText = (tokens: number): string => {
  if (tokens < 1_000) return String(tokens);
  return tokens < 999_950 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
};

const tokenCells = ({ tokens, tokensUnknown }: CostRow): string[] => {
  const cell = (count: number | undefined): string => {
    if (count === undefined) return tokens ? "-" : UNKNOWN;
    return `${countText(count)}${tokensUnknown > 0 ? "+" : ""}`;
  };
  const { input, cacheRead, cacheWrite, output, reasoning, subAgents } = tokens ?? {};
  return [input, cacheRead, cacheWrite, output, reasoning, subAgents].map(cell);
};

const rowCells = (row: CostRow): string[] => [
  row.key,
  moneyText(row),
  String(row.sessions),
  ...tokenCells(row),
];

/** What a narrow terminal does without, the first first: sub-agents, reasoning, cache write, cache read. */
const MAY_GO = [8, 7, 5, 4];

export const cost = defineCommand({
  description:
    'From the ledger that all workers of this user share, by day of this machine. "unknown" is what an agent did not tell and no list price is known for; "+" stands where some sessions told no tokens. Reasoning is part of the output, sub-agents are part of all classes.',
  options: {
    since: {
      type: "string",
      placeholder: "span",
      description: "Only what was used within this span: 90m, 12h, 2d (default all)",
    },
    by: { type: "string", choices: GROUPS, default: "day", description: "What makes a line" },
  },
  examples: ["worker cost", "worker cost --since 7d --by agent", "worker cost --by project --json"],
  run: async ({ options }, { env, reporter }) => {
    const sinceMs = options.since === undefined ? undefined : sinceMsOf(options.since, Date.now());
    const ledger = followLedger(workersHome(env), sinceMs).read();
    const { rows, total } = sumLedger(ledger, { by: options.by, sinceMs });
    reporter.json({
      ...(sinceMs === undefined ? {} : { since: new Date(sinceMs).toISOString() }),
      by: options.by,
      rows,
      total,
      damagedLines: ledger.damaged,
    });
    if (ledger.damaged > 0)
      reporter.note(
        `${reporter.style.red("damaged:")} ${plural(ledger.damaged, "line")} of the ledger cannot be read`,
      );
    if (rows.length === 0) {
      reporter.text(
        options.since === undefined
          ? "no session is in the ledger yet; each one adds its line when it ends"
          : `no session is in the ledger since ${options.since}`,
      );
      return;
    }
    const header = [
      options.by.toUpperCase(),
      "COST",
      "SESSIONS",
      "INPUT",
      "CACHE READ",
      "CACHE WRITE",
      "OUTPUT",
      "REASONING",
      "SUB-AGENTS",
    ];
    const lines = [...rows, ...(rows.length > 1 ? [total] : [])].map(rowCells);
    for (const line of listing(reporter, header, lines, MAY_GO)) reporter.text(line);
  },
});
