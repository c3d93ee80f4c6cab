import { EXIT } from "../../../core/exit-codes.ts";
import { hostName } from "../../../core/host-name.ts";
import { type Environment, workersHome } from "../../../core/paths.ts";
import { findState, toListed } from "../../../worker/state/worker-store.ts";
import type { FleetWorker } from "../../../server/fleet/schemas.ts";
import type { CommandIo } from "../../command/define-command.ts";
import { agoText } from "../../command/people-time.ts";
import { fit, table } from "../../command/reporter.ts";
import type { Style } from "../../command/style.ts";
import { openMemoryClient } from "../nightshift/memory-options.ts";
import { statusColor, tokensText } from "./show-worker.ts";

const status = ({ status, isSilent }: FleetWorker, style: Style): string =>
  isSilent && status !== "crashed" ? style.red("not heard from") : statusColor(status, style)(status);

const context = ({ contextPercent, contextTokens }: FleetWorker): string =>
  contextPercent !== undefined
    ? `${Math.round(contextPercent)} %`
    : contextTokens === undefined
      ? "-"
      : tokensText(contextTokens);

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
  const nameWidth = Math.max(8, Math.floor(reporter.columns / 6));
  const now = Date.now();
  const head = ["HOST", "NAME", "STATUS", "SESSION", "CONTEXT", "COST", "HEARD", "LAST"];
  const rows = workers.map((one) => [
    fit(one.host, nameWidth),
    fit(one.worker, nameWidth),
    status(one, reporter.style),
    `${one.session}/${one.max}`,
    context(one),
    one.costUsd > 0 ? `$${one.costUsd.toFixed(2)}` : "-",
    agoText(now - one.ageSeconds * 1000, now),
    one.reason ?? one.lastEvent ?? one.task,
  ]);
  reporter.answer(
    workers,
    rows.length === 0
      ? "no worker has reported to this server; supervisors do, where server.url or memory.url is configured"
      : table([head.map((word) => reporter.style.dim(word)), ...rows], reporter.columns, [5, 4, 3, 6]),
  );
  const silent = [...new Set(workers.filter((one) => one.isSilent).map(({ host }) => host))];
  if (silent.length > 0)
    reporter.note(
      `${reporter.style.red("not heard from")} for two minutes or more: ${silent.join(", ")}; look there with: worker list`,
    );
  return EXIT.yes;
};
