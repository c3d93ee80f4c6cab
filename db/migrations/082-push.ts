import { inBoth, type Migration } from "./migration.ts";

/**
 * Web push: the server's keys (RFC 8292; one row), when a sender of notices asked for them last, and the devices that
 * want to be told. A device goes with the token that it signed in with.
 */
export const push: Migration = {
  number: 82,
  name: "push",
  ...inBoth(
    ({ integer }) => `
CREATE TABLE push_keys (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  public_key TEXT NOT NULL,
  private_key TEXT NOT NULL,
  asked_at ${integer}
);
CREATE TABLE push_subscriptions (
  endpoint TEXT PRIMARY KEY,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  token TEXT NOT NULL,
  created_at ${integer} NOT NULL
);
`,
  ),
};
