import { AppError } from "../../core/errors.ts";

/** The SHA-256 (hex) that a `Content-Digest` or `Repr-Digest` header claims (RFC 9530), if it claims one. */
export const readDigestHeader = (header: string | null): string | undefined => {
  const match = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header ?? "");
  if (match?.[1]) return Buffer.from(match[1], "base64").toString("hex");
  if (header && /sha-256/i.test(header))
    throw new AppError("bad-data", `Content-Digest "${header.slice(0, 120)}" is not sha-256=:<base64>:`);
  return undefined;
};
