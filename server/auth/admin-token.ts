import { readFileIfThere, writeFileDurably } from "../../core/durable-file.ts";
import { isSecret, newSecret, newTokenId, secretDigest } from "./token.ts";
import type { TokenStore } from "./token-store.ts";

export const ADMIN_TOKEN_FILE = "admin-token";

/**
 * Makes sure that the file holds a token that may do everything: whoever can read the server's own folder
 * may administrate it. A token that was revoked, or whose database is gone, is replaced by a new one.
 */
export const ensureAdminToken = async (
  file: string,
  { tokens, now }: { tokens: TokenStore; now: () => number },
): Promise<void> => {
  const secret = readFileIfThere(file)?.trim() ?? "";
  if (isSecret(secret) && (await tokens.findByDigest(secretDigest(secret)))) return;
  const fresh = newSecret();
  // The row first: a file must never name a token that does not work.
  await tokens.add({
    id: newTokenId(),
    label: "admin",
    sha256: secretDigest(fresh),
    actions: ["admin"],
    createdAt: now(),
  });
  writeFileDurably(file, `${fresh}\n`, { mode: 0o600 });
};
