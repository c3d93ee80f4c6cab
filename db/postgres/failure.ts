import { AppError, errorText } from "../../core/errors.ts";

/** SQLSTATE classes and codes (PostgreSQL, appendix A) that say that the database cannot serve us now. */
const REASONS: readonly [pattern: RegExp, reason: string, retryAfterSeconds: number][] = [
  [/^08/, "the connection to it was lost", 2],
  [/^57P0[1-4]$/, "it is starting, stopping or has restarted", 2],
  [/^57P05$/, "it closed an idle connection", 1],
  [/^53300$/, "it has no connection left for us", 2],
  [/^53100$/, "its disk is full", 30],
  [/^53/, "it is short of resources", 10],
  [/^25006$/, "it is a read-only replica", 5],
  [/^57014$/, "a statement took longer than it may", 5],
  [/^25P0[34]$/, "a transaction was idle for too long", 2],
  [/^55P03$/, "it waited too long for a lock", 2],
  [/^40(001|P01)$/, "too many others changed the same at once", 1],
  [/^28/, "it refuses our user or password", 30],
  [/^3D000$/, "it has no such database", 30],
  [/^(42501|3F000)$/, "it does not allow our user to do that", 30],
  [/^CONNECT_TIMEOUT$/, "it does not take a connection in time", 2],
  [/^CONNECTION_/, "the connection to it was lost", 2],
  [/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET|ENOENT)/, "it cannot be reached", 2],
];

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The failure of a statement of a lost connection, which PostgreSQL had no chance to describe. */
export const connectionLost = (why: string): Error =>
  Object.assign(new Error(why), { code: "CONNECTION_CLOSED" });

/** The client's own failures carry no code: a password that is missing, a connection that does not come, or is cut. */
export const coded = (error: unknown): unknown => {
  if (codeOf(error) !== "") return error;
  const message = errorText(error);
  const isLate = /connection timeout|timeout expired/.test(message);
  const code = message.startsWith("SASL") ? "28P01" : isLate ? "CONNECT_TIMEOUT" : "CONNECTION_CLOSED";
  return Object.assign(new Error(message, { cause: error }), { code });
};

/** Whether the transaction may simply be tried again: nothing of it has happened. */
export const isConflict = (error: unknown): boolean => /^40(001|P01)$/.test(codeOf(error));

/**
 * Whether a statement failed only because one before it in its transaction did, which says nothing of why: no
 * more commands are taken, or a savepoint was never made.
 */
export const isAborted = (error: unknown): boolean => /^(25P02|3B001)$/.test(codeOf(error));

export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  codeOf(error) === "23505" &&
  (constraint === undefined ||
    (error instanceof Error && "constraint" in error && error.constraint === constraint));

export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === "23503";

/** Whether waiting cannot help: a person has to change the address, the password or the database. */
export const isRefusal = (error: unknown): boolean => /^(28|3D000|3F000|42501)/.test(codeOf(error));

/** Whether only this statement was refused: others, such as those that read, may well be served. */
export const refusesOneStatement = (error: unknown): boolean =>
  /^(25|3F000|40|42501|53|55|57014)/.test(codeOf(error));

/** Whether the session is over: everything that is no answer of PostgreSQL, and its FATAL ones. */
export const endsConnection = (error: unknown): boolean => {
  if (!(error instanceof Error)) return true;
  const severity = "severity" in error ? error.severity : undefined;
  const code = codeOf(error);
  if (/^(57P0|08)/.test(code) || severity === "FATAL" || severity === "PANIC") return true;
  // A SQLSTATE has five characters; everything else came from the socket or the client.
  return !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code);
};

/**
 * The one place where a failure of PostgreSQL becomes one of ours: `unavailable` with the seconds after
 * which to ask again, when the database cannot serve us now. Everything else is returned as it is.
 */
export const toFailure = (error: unknown, target: string): unknown => {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const found = REASONS.find(([pattern]) => pattern.test(code));
  if (!found) return error;
  const [, reason, retryAfterSeconds] = found;
  const say = (database: string, why: string): string =>
    `${database} cannot serve this now: ${why}; try again in ${retryAfterSeconds} s`;
  return new AppError("unavailable", say(`The database ${target}`, `${reason} (${errorText(error)})`), {
    cause: error,
    publicMessage: say("The database", reason),
    details: { retryAfterSeconds },
  });
};
