import { writeFileDurably } from "../../core/durable-file.ts";
import { AppError } from "../../core/errors.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { isSecret, newSecret, newTokenId, secretDigest, type Token } from "./token.ts";
import type { TokenStore } from "./token-store.ts";

export const ADMIN_TOKEN_FILE = "admin-token";

const LABEL = "admin";

/** Whether the file names no token that works: it was revoked, has expired, or is not there. */
export const isDeadTokenFile = async (
  file: string,
  { tokens, now }: { tokens: Pick<TokenStore, "findByDigest">; now: () => number },
): Promise<boolean> => {
  const secret = readFileIfThere(file)?.trim() ?? "";
  if (!isSecret(secret)) return true;
  try {
    const token = await tokens.findByDigest(secretDigest(secret));
    return token === undefined || (token.expiresAt ?? Number.POSITIVE_INFINITY) <= now();
  } catch (error) {
    // With the database away nobody can say, and the page opens all the same.
    if (error instanceof AppError && error.code === "unavailable") return false;
    throw error;
  }
};

/**
 * Makes sure that the file holds a token that may do everything: whoever can read the server's own folder
 * may administrate it, so this one has no end. A token that was revoked or has expired, or whose database is
 * gone, is replaced by a new one. On a shared database the first server makes it and the others get a copy of
 * its file, or none: else every container that is started would leave a token behind. False when there is one
 * that this folder lacks.
 */
export const ensureAdminToken = async (
  file: string,
  {
    tokens,
    isShared,
    now,
    onMade,
  }: { tokens: TokenStore; isShared: boolean; now: () => number; onMade?: (token: Token) => Promise<void> },
): Promise<boolean> => {
  const secret = readFileIfThere(file)?.trim() ?? "";
  const held = isSecret(secret) ? await tokens.findByDigest(secretDigest(secret)) : undefined;
  if (held && (held.expiresAt === undefined || held.expiresAt > now())) return true;
  if (isShared && (await tokens.list()).some(isAdminToken)) return false;
  const fresh = newSecret();
  // The row first: a file must never name a token that does not work.
  const token: Token = {
    id: newTokenId(),
    label: LABEL,
    sha256: secretDigest(fresh),
    actions: ["admin"],
    createdAt: now(),
  };
  await tokens.add(token);
  writeFileDurably(file, `${fresh}\n`, { mode: 0o600 });
  await onMade?.(token);
  return true;
};

const isAdminToken = ({ label, actions, expiresAt }: Token): boolean =>
  label === LABEL && actions.includes("admin") && expiresAt === undefined;
