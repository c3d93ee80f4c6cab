import { AppError } from "../core/errors.ts";
import { EXIT } from "../core/exit-codes.ts";
import { ERROR_CODES } from "../core/error-codes.ts";
import { createLog } from "../core/log.ts";
import { readSettings } from "./settings.ts";
import { startServer } from "./start.ts";

const stopOn = (stop: () => Promise<void>): void => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      stop().then(
        () => process.exit(EXIT.yes),
        () => process.exit(EXIT.internal),
      );
    });
};

try {
  const settings = readSettings(process.env);
  const server = await startServer(settings, { log: createLog(settings.logLevel) });
  // Before the line: whoever waits for it may stop us at once.
  stopOn(server.stop);
  process.stdout.write(`nightshift listens on ${server.url}\n`);
} catch (error) {
  const known = error instanceof AppError ? error : undefined;
  process.stderr.write(
    known
      ? `nightshift: ${known.message}\n`
      : `nightshift: internal error\n${String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(known ? ERROR_CODES[known.code].exit : EXIT.internal);
}
