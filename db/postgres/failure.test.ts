import { expect, test } from "vitest";
import { AppError } from "../../core/errors.ts";
import { ERROR_CODES } from "../../core/error-codes.ts";
import { endsConnection, isConflict, isRefusal, isUniqueViolation, toFailure } from "./failure.ts";

const failed = (code: string, more: Record<string, unknown> = {}): Error =>
  Object.assign(new Error(`what PostgreSQL says of ${code}`), { code, ...more });

test.each([
  ["08006", "connection to it was lost"],
  ["57P01", "starting, stopping or has restarted"],
  ["57P03", "starting, stopping or has restarted"],
  ["53300", "no connection left"],
  ["53100", "disk is full"],
  ["53200", "short of resources"],
  ["25006", "read-only replica"],
  ["57014", "longer than it may"],
  ["55P03", "waited too long for a lock"],
  ["40001", "too many others"],
  ["40P01", "too many others"],
  ["28P01", "refuses our user or password"],
  ["3D000", "no such database"],
  ["42501", "does not allow our user"],
  ["CONNECT_TIMEOUT", "does not take a connection"],
  ["CONNECTION_CLOSED", "connection to it was lost"],
  ["ECONNREFUSED", "cannot be reached"],
  ["EPIPE", "cannot be reached"],
  ["ENOTFOUND", "cannot be reached"],
])("%s is answered 503: %s", (code, reason) => {
  const failure = toFailure(failed(code), "user@host/db");
  expect(failure).toBeInstanceOf(AppError);
  const { message, publicMessage, code: kind, details } = failure as AppError;
  expect(ERROR_CODES[kind].status).toBe(503);
  expect(message).toContain("user@host/db");
  expect(message).toContain(reason);
  expect(message).toContain(`what PostgreSQL says of ${code}`);
  expect(publicMessage).toContain(reason);
  expect(publicMessage).toMatch(/try again in \d+ s$/);
  expect(publicMessage).not.toMatch(/user@host|PostgreSQL says/);
  expect(details["retryAfterSeconds"]).toBeGreaterThan(0);
});

test("a mistake of ours stays one, and what is ours already is not wrapped again", () => {
  for (const code of ["23505", "42601", "22P02", "UNDEFINED_VALUE"]) {
    const mistake = failed(code);
    expect(toFailure(mistake, "db")).toBe(mistake);
  }
  const ours = new AppError("conflict", "taken");
  expect(toFailure(ours, "db")).toBe(ours);
});

test("tells what ends a session, what may be tried again and what only a person can change", () => {
  for (const code of ["57P01", "08003", "ECONNRESET", "EPIPE", "CONNECTION_CLOSED"])
    expect(endsConnection(failed(code)), code).toBe(true);
  expect(endsConnection(failed("53300", { severity: "FATAL" }))).toBe(true);
  for (const code of ["23505", "57014", "40001", "53100", "25006"])
    expect(endsConnection(failed(code)), code).toBe(false);
  expect(["40001", "40P01", "23505"].map((code) => isConflict(failed(code)))).toEqual([true, true, false]);
  expect(["28P01", "3D000", "42501", "57P03"].map((code) => isRefusal(failed(code)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  const taken = failed("23505", { constraint: "keys_writer" });
  expect([isUniqueViolation(taken), isUniqueViolation(taken, "keys_writer")]).toEqual([true, true]);
  expect([isUniqueViolation(taken, "other"), isUniqueViolation(failed("23503"))]).toEqual([false, false]);
});
