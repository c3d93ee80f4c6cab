import type { Database } from "../../db/database.ts";
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

export type TokenRow = {
  id: string;
  label: string;
  sha256: string;
  site: string | null;
  actions: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
};

export const toToken = (row: TokenRow): Token => ({
  id: row.id,
  label: row.label,
  sha256: row.sha256,
  site: row.site ?? undefined,
  actions: row.actions === "" ? [] : (row.actions.split(",") as TokenAction[]),
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? undefined,
  lastUsedAt: row.last_used_at ?? undefined,
});

export const TOKEN_COLUMNS = "id, label, sha256, site, actions, created_at, expires_at";

export const tokenValues = (token: Token): (string | number | null)[] => [
  token.id,
  token.label,
  token.sha256,
  token.site ?? null,
  token.actions.join(","),
  token.createdAt,
  token.expiresAt ?? null,
];

/** The store on the server's own SQLite database. */
export const createSqliteTokenStore = (db: Database): TokenStore => ({
  add: (token) =>
    db.write(() => {
      db.run(`INSERT INTO tokens (${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`, tokenValues(token));
    }),
  list: async () => db.all<TokenRow>("SELECT * FROM tokens ORDER BY created_at DESC, id").map(toToken),
  findByDigest: async (sha256) => {
    const row = db.get<TokenRow>("SELECT * FROM tokens WHERE sha256 = ?", [sha256]);
    return row && toToken(row);
  },
  remove: (id) => db.write(() => db.run("DELETE FROM tokens WHERE id = ?", [id]) > 0),
  touch: (id, at) =>
    db.write(() => {
      db.run("UPDATE tokens SET last_used_at = ? WHERE id = ?", [at, id]);
    }),
  addSession: ({ sha256, token, expiresAt }, now) =>
    db.write(() => {
      db.run("DELETE FROM sessions WHERE expires_at <= ?", [now]);
      db.run("INSERT INTO sessions (sha256, token, expires_at) VALUES (?, ?, ?)", [sha256, token, expiresAt]);
    }),
  findBySession: async (sha256, now) => {
    const row = db.get<TokenRow>(
      "SELECT t.* FROM sessions s JOIN tokens t ON t.id = s.token WHERE s.sha256 = ? AND s.expires_at > ?",
      [sha256, now],
    );
    return row && toToken(row);
  },
  removeSession: (sha256) =>
    db.write(() => {
      db.run("DELETE FROM sessions WHERE sha256 = ?", [sha256]);
    }),
});
