import { insertion, named } from "../../db/rows.ts";
import type { Statements } from "../../db/statements.ts";
import type { Token, TokenAction } from "./token.ts";

/** Tokens and sessions, by the digest of their secret. */
export type TokenStore = {
  add: (token: Token) => Promise<void>;
  list: () => Promise<Token[]>;
  findByDigest: (sha256: string) => Promise<Token | undefined>;
  /** Also ends the sessions made from it. False when there is none. */
  remove: (id: string) => Promise<boolean>;
  touch: (id: string, at: number) => Promise<void>;
  /** Also removes those whose time is over. */
  addSession: (session: Session, now: number) => Promise<void>;
  findBySession: (sha256: string, now: number) => Promise<Token | undefined>;
  removeSession: (sha256: string) => Promise<void>;
};

export type Session = { sha256: string; token: string; expiresAt: number };

type TokenRow = { actions: string };

const toToken = (row: TokenRow): Token => ({
  ...named<Omit<Token, "actions">>(row),
  actions: row.actions === "" ? [] : (row.actions.split(",") as TokenAction[]),
});

/** The store on either database; where servers share one, a token revoked on one is refused by all. */
export const createTokenStore = (db: Statements): TokenStore => ({
  add: async (token) => {
    await db.run(...insertion("tokens", { ...token, actions: token.actions.join(",") }));
  },
  list: async () =>
    (await db.all<TokenRow>("SELECT * FROM tokens ORDER BY created_at DESC, id")).map(toToken),
  findByDigest: async (sha256) => {
    const row = await db.get<TokenRow>("SELECT * FROM tokens WHERE sha256 = $1", [sha256]);
    return row && toToken(row);
  },
  remove: async (id) => (await db.run("DELETE FROM tokens WHERE id = $1", [id])) > 0,
  touch: async (id, at) => {
    await db.run("UPDATE tokens SET last_used_at = $1 WHERE id = $2 AND coalesce(last_used_at, 0) < $1", [
      at,
      id,
    ]);
  },
  addSession: async ({ sha256, token, expiresAt }, now) => {
    await db.run("DELETE FROM sessions WHERE expires_at <= $1", [now]);
    await db.run(...insertion("sessions", { sha256, token, expiresAt }));
  },
  findBySession: async (sha256, now) => {
    const row = await db.get<TokenRow>(
      "SELECT t.* FROM sessions s JOIN tokens t ON t.id = s.token WHERE s.sha256 = $1 AND s.expires_at > $2",
      [sha256, now],
    );
    return row && toToken(row);
  },
  removeSession: async (sha256) => {
    await db.run("DELETE FROM sessions WHERE sha256 = $1", [sha256]);
  },
});
