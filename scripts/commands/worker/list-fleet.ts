import { EXIT } from "../../../core/exit-codes.ts";
import { hostName } from "../../../core/host-name.ts";
import { type Environment, workersHome } from "../../../core/paths.ts";
import { findState, toListed } from "../../../worker/state/worker-store.ts";
import type { FleetWorker } from "../../../server/fleet/schemas.ts";
import type { CommandIo } from "../../command/define-command.ts";
import { fit, table } from "../../command/reporter.ts";
import type { Style } from "../../command/style.ts";
import { openMemoryClient } from "../nightshift/memory-options.ts";
import { statusColor } from "./show-worker.ts";

const age = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} days ago`;
};

const status = ({ status, isSilent }: FleetWorker, style: Style): string =>
  isSilent && status !== "crashed" ? style.red("not heard from") : statusColor(status, style)(status);

const context = ({ contextPercent, contextTokens }: FleetWorker): string =>
  contextPercent === undefined ? String(contextTokens ?? "-") : `${Math.round(contextPercent)} %`;

/** A supervisor that was killed tells the server nothing; on its own host it is seen all the same. */
const isCrashedHere = ({ host, worker, dir }: FleetWorker, env: Environment): boolean => {
  if (host !== hostName(env)) return false;
  const home = workersHome(env);
  try {
    const state = findState(home, worker);
    return state?.dir === dir && toListed(home, state).status === "crashed";
  } catch {
    return false; // a damaged state: worker list says so
  }
};

const NARROW = 84;

/** The workers of every host, as their supervisors told the server last. */
export const listFleet = async (
  options: { url: string | undefined; keyFile: string | undefined },
  io: CommandIo,
): Promise<number> => {
  const { reporter } = io;
  const client = await openMemoryClient(options, io);
  const answer = await client.json<{ workers: FleetWorker[] }>("GET", "/api/fleet");
  const workers = answer.workers.map((one) =>
    isCrashedHere(one, io.env) ? { ...one, status: "crashed" } : one,
  );
  // Names are cut and figures left out before a line would go over the edge.
  const isNarrow = reporter.columns < NARROW;
  const nameWidth = Math.max(8, Math.floor(reporter.columns / (isNarrow ? 7 : 5)));
  const head = [
    "HOST",
    "NAME",
    "STATUS",
    "SESSION",
    ...(isNarrow ? [] : ["CONTEXT", "COST"]),
    "HEARD",
    "LAST",
  ];
  const rows = workers.map((one) => [
    fit(one.host, nameWidth),
    fit(one.worker, nameWidth),
    status(one, reporter.style),
    `${one.session}/${one.max}`,
    ...(isNarrow ? [] : [context(one), one.costUsd > 0 ? `$${one.costUsd.toFixed(2)}` : "-"]),
    age(one.ageSeconds),
    one.reason ?? one.lastEvent ?? one.task,
  ]);
  reporter.answer(
    workers,
    rows.length === 0
      ? "no worker has reported to this server; supervisors do, where server.url or memory.url is configured"
      : table([head.map((word) => reporter.style.dim(word)), ...rows], reporter.columns),
  );
  const silent = [...new Set(workers.filter((one) => one.isSilent).map(({ host }) => host))];
  if (silent.length > 0)
    reporter.note(
      `${reporter.style.red("not heard from")} for two minutes or more: ${silent.join(", ")}; look there with: worker list`,
    );
  return EXIT.yes;
};
