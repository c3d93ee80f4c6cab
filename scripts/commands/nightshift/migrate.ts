import { resolve } from "node:path";
import { AppError } from "../../../core/errors.ts";
import { nightshiftHome } from "../../../core/paths.ts";
import { readDatabase } from "../../../server/database-settings.ts";
import { openPostgres } from "../../../db/postgres/open-postgres.ts";
import { createSilentLog } from "../../../core/log.ts";
import type { MigrateEvent, MigrateReport } from "../../../server/migrate/migrate-folder.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { formatBytes } from "../../command/format-bytes.ts";
import { createProgressBar } from "../../command/progress-bar.ts";
import { table } from "../../command/table.ts";

const LABELS: Record<MigrateEvent["step"], string> = {
  blobs: "files",
  rows: "rows",
  verifying: "comparing",
};
const COUNT = new Intl.NumberFormat("en");

/** A bar on a terminal, one line for each step elsewhere. */
const createFollower = ({ reporter, signal }: CommandIo) => {
  const bar = createProgressBar(process.stderr, { isQuiet: reporter.isJson, now: () => performance.now() });
  let step: MigrateEvent["step"] | undefined;
  return {
    follow: (event: MigrateEvent): void => {
      // Between two batches everything is in order: the next run goes on here.
      if (signal.aborted)
        throw new AppError(
          "interrupted",
          "Interrupted; run the same command again to continue where it stopped",
        );
      if (!process.stderr.isTTY && event.step !== step)
        reporter.note(`${LABELS[event.step]}: ${COUNT.format(event.total)} to do`);
      step = event.step;
      const detail = `${event.name}, ${COUNT.format(event.done)} of ${COUNT.format(event.total)}`;
      bar.show(LABELS[event.step], event.done, event.total, detail);
    },
    end: bar.clear,
  };
};

const headline = ({ from, to, isResumed, isRepeated, finishedAt }: MigrateReport): string =>
  isRepeated
    ? `nothing to do: ${from} was copied into ${to} at ${finishedAt}, everything was the same in both, and the folder has not changed since`
    : `copied ${from} into ${to}${isResumed ? " (continued where an earlier run had ended)" : ""}; everything is the same in both`;

const describe = (report: MigrateReport, columns: number): string[] => [
  headline(report),
  ...table(
    [
      ...report.tables
        .filter(({ rows }) => rows > 0)
        .map(({ name, rows, sha256 }) => [name, COUNT.format(rows), sha256.slice(0, 16)]),
      ["files of sites", COUNT.format(report.blobs.count), formatBytes(report.blobs.bytes)],
    ],
    columns,
  ),
  "start every server with this DATABASE_URL; keep the folder until you have a backup of the database",
];

export const migrate = defineCommand({
  description:
    "The folder's server must be stopped and the database empty. When it was interrupted, the same command goes on where it was. Ends with exit 0 when every table and file was compared and is the same; asked again after that, it says so and changes nothing.",
  options: {
    from: {
      type: "string",
      placeholder: "folder",
      complete: "folder",
      description: "The data folder; else NIGHTSHIFT_HOME, ~/.nightshift",
    },
    to: {
      type: "string",
      placeholder: "url",
      description: "postgres://user@host/database; else DATABASE_URL, which other users do not see",
    },
  },
  examples: [
    "nightshift migrate --from ~/.nightshift --to postgres://nightshift@db.example/nightshift",
    "DATABASE_URL=postgres://nightshift:secret@db.example/nightshift nightshift migrate --json",
  ],
  run: async ({ options }, io) => {
    const { env, cwd, reporter } = io;
    const faults: { path: string; message: string }[] = [];
    const settings = readDatabase(
      { ...env, ...(options.to === undefined ? {} : { DATABASE_URL: options.to }) },
      faults,
    );
    if (!settings)
      throw new AppError("usage", "--to is missing: the address of the database, or set DATABASE_URL");
    if (faults.length > 0)
      throw new AppError("usage", faults.map(({ path, message }) => `${path} ${message}`).join("; "), {
        faults,
      });
    const { migrateFolder } = await import("../../../server/migrate/migrate-folder.ts");
    const target = await openPostgres({ ...settings, waitMs: 10_000 }, { log: createSilentLog() });
    const follower = createFollower(io);
    try {
      const folder = options.from === undefined ? nightshiftHome(env) : resolve(cwd, options.from);
      const report = await migrateFolder(folder, { target, now: Date.now, onEvent: follower.follow });
      follower.end();
      reporter.answer(report, describe(report, reporter.columns));
    } finally {
      follower.end();
      await target.close();
    }
  },
});
