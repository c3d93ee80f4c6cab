import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * What a token may do. Reading what is in its scope needs no action; `watch` reads what workers do, `steer` also asks
 * something of them; `admin` includes all others.
 */
export const TOKEN_ACTIONS = ["upload", "activate", "delete", "watch", "steer", "admin"] as const;
export type TokenAction = (typeof TOKEN_ACTIONS)[number];

/** A token as it is stored: of the secret only its SHA-256. Times are milliseconds since the epoch. */
export type Token = {
  id: string;
  label: string;
  sha256: string;
  site?: string | undefined;
  actions: TokenAction[];
  createdAt: number;
  expiresAt?: number | undefined;
  lastUsedAt?: number | undefined;
};

const PREFIX = "nightshift_";
const SHAPE = /^nightshift_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

const checksum = (random: string): string => crc32(Buffer.from(random)).toString(16).padStart(8, "0");

/** A new secret: a prefix that secret scanners can look for, 256 random bits, and a checksum of them. */
export const newSecret = (): string => {
  const random = randomBytes(32).toString("base64url");
  return `${PREFIX}${random}${checksum(random)}`;
};

/** Whether a text is shaped like a secret of ours, checksum included: a typo is told without a look-up. */
export const isSecret = (text: string): boolean => {
  const match = SHAPE.exec(text);
  return match !== null && checksum(match[1] ?? "") === match[2];
};

/** What is stored and looked up in place of a secret. 256 random bits need no salt and no slow hash. */
export const secretDigest = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export const newTokenId = (): string => `tok_${randomBytes(8).toString("hex")}`;
