import { randomBytes } from "node:crypto";
import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { plural } from "../../../core/plural.ts";
import { writeFailure } from "../../../core/durable-file.ts";
import { AppError, systemCode } from "../../../core/errors.ts";
import { nightshiftHome } from "../../../core/paths.ts";
import { createBackup } from "../../../server/backup/backup.ts";
import { restoreBackup } from "../../../server/backup/restore.ts";
import { openDiskBlobs } from "../../../server/blobs/blobs-disk.ts";
import { DATABASE_FILE, openDatabase } from "../../../db/open-database.ts";
import type { CommandIo } from "../../command/define-command.ts";
import { defineCommand } from "../../command/define-command.ts";
import { openServer, SERVER_OPTIONS } from "./server-options.ts";

/** A file that is there only when it is whole. */
const writeWhole = async (file: string, source: AsyncIterable<unknown>): Promise<void> => {
  const temporary = `${file}.${randomBytes(4).toString("hex")}.part`;
  try {
    await pipeline(source, createWriteStream(temporary, { flags: "wx", mode: 0o600, flush: true }));
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw systemCode(error) === undefined ? error : writeFailure(file, error);
  }
};

/** The server's own copy; undefined where none runs here and its data folder can be read instead. */
const askServer = async (
  options: { url: string | undefined; tokenFile: string | undefined },
  io: CommandIo,
): Promise<Response | undefined> => {
  const isNamed = options.url !== undefined || Boolean(io.env["NIGHTSHIFT_URL"]);
  // One that was named must answer; else, without its token or without an answer, there is none here.
  const isAbsent = (error: unknown): boolean =>
    !isNamed && error instanceof AppError && error.details["status"] === undefined;
  try {
    return await (await openServer(options, io)).once.open("/api/backup");
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

export const backup = defineCommand({
  description: "From the running server, or from the data folder when none runs on this machine.",
  args: [{ name: "file", description: "the tar file to write", complete: "file" }],
  options: SERVER_OPTIONS,
  examples: ["nightshift backup nightshift-backup.tar"],
  run: async ({ args, options }, io) => {
    const file = resolve(io.cwd, args.file);
    const response = await askServer(options, io);
    if (response?.body) {
      await writeWhole(file, Readable.fromWeb(response.body as unknown as NodeReadableStream));
    } else {
      if (io.env["DATABASE_URL"])
        throw new AppError(
          "conflict",
          'no server answers, and with a DATABASE_URL the data is not in a folder; back the database up with: pg_dump --format=custom --file=nightshift.dump "$DATABASE_URL"',
        );
      const home = nightshiftHome(io.env);
      if (!existsSync(join(home, DATABASE_FILE)))
        throw new AppError("not-found", `no server answers, and there is no ${DATABASE_FILE} in ${home}`);
      const db = openDatabase(home);
      try {
        await writeWhole(
          file,
          createBackup({ db, home, blobs: openDiskBlobs(join(home, "blobs"), {}), now: Date.now }),
        );
      } finally {
        db.close();
      }
    }
    io.reporter.answer({ file, from: response ? "server" : "folder" }, `wrote ${args.file}`);
  },
});

export const restore = defineCommand({
  description: "The server must not run. The database that was there stays beside the new one.",
  args: [{ name: "file", description: "what nightshift backup wrote", complete: "file" }],
  options: { replace: { type: "boolean", description: "Replace the data that is there" } },
  examples: ["nightshift restore nightshift-backup.tar"],
  run: async ({ args, options }, { env, cwd, reporter }) => {
    if (env["DATABASE_URL"])
      throw new AppError(
        "conflict",
        'with a DATABASE_URL the data is not in a folder: unset it to restore one, then copy that into the database with "nightshift migrate"; a dump of the database is put back with pg_restore',
      );
    const done = await restoreBackup(resolve(cwd, args.file), {
      home: nightshiftHome(env),
      replace: options.replace,
      now: Date.now,
    });
    const before = done.previous === undefined ? [] : [`the database before it is ${done.previous}`];
    reporter.answer(done, [
      `restored the backup of ${done.createdAt} with ${plural(done.blobs, "file")} of sites`,
      ...before,
    ]);
  },
});
