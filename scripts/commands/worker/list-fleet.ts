import type { FleetWorker } from "../../../client/server-client.ts";
import { AppError } from "../../../core/errors.ts";
import { hostName } from "../../../core/host-name.ts";
import { type Environment, workersHome } from "../../../core/paths.ts";
import { listWorkers } from "../../../worker/state/worker-store.ts";
import { fleetReport } from "../../../worker/telling/fleet-client.ts";
import type { CommandIo } from "../../command/define-command.ts";
import { agoText } from "../../../core/people-time.ts";
import type { Reporter } from "../../command/reporter.ts";
import { fit, listing } from "../../command/table.ts";
import type { Style } from "../../command/style.ts";
import { openMemoryApi } from "../nightshift/memory-options.ts";
import { statusColor, tokensText } from "./show-worker.ts";

const status = ({ status, isSilent }: FleetWorker, style: Style): string =>
  isSilent && status !== "crashed" ? style.red("not heard from") : statusColor(status, style)(status);

const context = ({ contextPercent, contextTokens }: FleetWorker): string =>
  contextPercent !== undefined
    ? `${Math.round(contextPercent)} %`
    : contextTokens === undefined
      ? "-"
      : tokensText(contextTokens);

/** This machine's own workers, from their files: who tells no server, or was killed, is seen here all the same. */
const listHere = (env: Environment): FleetWorker[] => {
  const host = hostName(env);
  return listWorkers(workersHome(env)).workers.map((worker) => ({
    ...fleetReport({ ...worker, status: worker.recordedStatus }),
    status: worker.status,
    host,
    worker: worker.name,
    reportedAt: worker.updatedAt,
    ageSeconds: Math.max(0, Math.round((Date.now() - Date.parse(worker.updatedAt)) / 1000)),
    isSilent: false,
  }));
};

const isSame = (one: FleetWorker, other: FleetWorker): boolean =>
  one.worker === other.worker && one.dir === other.dir && one.startedAt === other.startedAt;

/** This machine's first. A supervisor that was killed tells the server nothing: here its files say so. */
const merge = (here: FleetWorker[], told: FleetWorker[], host: string): FleetWorker[] => {
  const isHere = (one: FleetWorker): boolean => one.host === host;
  const corrected = told.map((one) =>
    isHere(one) && here.some((own) => isSame(own, one) && own.status === "crashed")
      ? { ...one, status: "crashed" }
      : one,
  );
  const untold = here.filter((own) => !told.some((one) => isSame(own, one)));
  return [...corrected.filter(isHere), ...untold, ...corrected.filter((one) => !isHere(one))];
};

const linesOf = (workers: FleetWorker[], { columns, style }: Reporter): string[] => {
  const nameWidth = Math.max(8, Math.floor(columns / 6));
  const now = Date.now();
  const head = ["HOST", "NAME", "STATUS", "SESSION", "CONTEXT", "COST", "HEARD", "LAST"];
  const rows = workers.map((one) => [
    fit(one.host, nameWidth),
    fit(one.worker, nameWidth),
    status(one, style),
    `${one.session}/${one.max}`,
    context(one),
    one.costUsd > 0 ? `$${one.costUsd.toFixed(2)}` : "-",
    agoText(now - one.ageSeconds * 1000, now),
    one.reason ?? one.lastEvent ?? one.task,
  ]);
  return listing({ style, columns }, head, rows, [5, 4, 3, 6]);
};

/** What other hosts told; where that cannot be had, this machine's workers are shown and the failure goes on. */
const askServer = async (
  options: { url: string | undefined; keyFile: string | undefined },
  io: CommandIo,
  here: FleetWorker[],
): Promise<FleetWorker[]> => {
  try {
    const { call } = await openMemoryApi(options, io);
    return (await call((client) => client.api.fleet.get())).workers;
  } catch (error) {
    if (!(error instanceof AppError) || here.length === 0) throw error;
    if (!io.reporter.isJson) for (const line of linesOf(here, io.reporter)) io.reporter.text(line);
    throw new AppError(error.code, `only the workers of this machine are known: ${error.message}`, {
      cause: error,
      details: { workers: here },
    });
  }
};

/**
 * The workers of every host, as their supervisors told the server last, this machine's first.
 * @throws AppError when the server cannot be asked; this machine's workers are shown before
 */
export const listFleet = async (
  options: { url: string | undefined; keyFile: string | undefined },
  io: CommandIo,
): Promise<void> => {
  const { reporter } = io;
  const here = listHere(io.env);
  const workers = merge(here, await askServer(options, io, here), hostName(io.env));
  reporter.answer(
    workers,
    workers.length === 0
      ? "no worker has reported to this server; supervisors do, where server.url or memory.url is configured"
      : linesOf(workers, reporter),
  );
  const silent = [...new Set(workers.filter((one) => one.isSilent).map(({ host }) => host))];
  if (silent.length > 0)
    reporter.note(
      `${reporter.style.red("not heard from")} for two minutes or more: ${silent.join(", ")}; look there with: worker list`,
    );
};
