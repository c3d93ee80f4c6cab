import { createECDH } from "node:crypto";
import type { Statements } from "../../db/statements.ts";

/** A device, as its browser's push service knows it (RFC 8030, RFC 8291): an address and the keys to write to it. */
export type Subscription = { endpoint: string; p256dh: string; auth: string };

/** The server's own key pair (RFC 8292), as base64url. */
export type PushKeys = { publicKey: string; privateKey: string };

export type PushStore = {
  /** the keys, made at the first call; `askedAt` is when a sender of notices asked for them last */
  keys: () => Promise<PushKeys & { askedAt: number | undefined }>;
  noteAsked: (at: number) => Promise<void>;
  list: () => Promise<(Subscription & { token: string })[]>;
  /** a device that is known already is kept under its newest token */
  add: (subscription: Subscription, by: { token: string; at: number }) => Promise<void>;
  remove: (endpoint: string) => Promise<void>;
};

/** More devices than anybody carries; the oldest goes. */
const MOST = 50;

const PRIVATE_KEY_BYTES = 32;

/** A key as base64url. Node leaves out the zeros it begins with, as one in 256 does: they are part of its text. */
export const encodePrivateKey = (key: Buffer): string =>
  Buffer.concat([Buffer.alloc(PRIVATE_KEY_BYTES - key.length), key]).toString("base64url");

const makeKeys = (): PushKeys => {
  const pair = createECDH("prime256v1");
  const publicKey = pair.generateKeys("base64url");
  return { publicKey, privateKey: encodePrivateKey(pair.getPrivateKey()) };
};

/** The store on either database. */
export const createPushStore = ({ all, run }: Statements): PushStore => {
  const readKeys = async () => {
    const [row] = await all<{ public_key: string; private_key: string; asked_at: number | null }>(
      "SELECT public_key, private_key, asked_at FROM push_keys",
    );
    return (
      row && { publicKey: row.public_key, privateKey: row.private_key, askedAt: row.asked_at ?? undefined }
    );
  };
  return {
    keys: async () => {
      const known = await readKeys();
      if (known) return known;
      const made = makeKeys();
      await run(
        "INSERT INTO push_keys (id, public_key, private_key) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING",
        [made.publicKey, made.privateKey],
      );
      // Another server may have been first.
      return (await readKeys()) ?? { ...made, askedAt: undefined };
    },
    noteAsked: async (at) => {
      await run("UPDATE push_keys SET asked_at = $1", [at]);
    },
    list: () =>
      all("SELECT endpoint, p256dh, auth, token FROM push_subscriptions ORDER BY created_at, endpoint"),
    add: async ({ endpoint, p256dh, auth }, { token, at }) => {
      await run(
        `INSERT INTO push_subscriptions (endpoint, p256dh, auth, token, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (endpoint) DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth, token = excluded.token`,
        [endpoint, p256dh, auth, token, at],
      );
      await run(
        `DELETE FROM push_subscriptions WHERE endpoint NOT IN
         (SELECT endpoint FROM push_subscriptions ORDER BY created_at DESC, endpoint LIMIT ${MOST})`,
      );
    },
    remove: async (endpoint) => {
      await run("DELETE FROM push_subscriptions WHERE endpoint = $1", [endpoint]);
    },
  };
};
