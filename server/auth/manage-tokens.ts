import { AppError, type Fault } from "../../core/errors.ts";
import { siteNameFault } from "../../core/site-name.ts";
import { type Static, Type } from "../../core/schema.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import type { AuthPorts, Principal } from "./authenticate.ts";
import {
  isSecret,
  newSecret,
  newTokenId,
  secretDigest,
  type Token,
  TOKEN_ACTIONS,
  type TokenAction,
} from "./token.ts";
import type { TokenStore } from "./token-store.ts";

export type TokenRequest = {
  label?: string | undefined;
  site?: string | undefined;
  actions: TokenAction[];
  expiresInSeconds?: number | undefined;
};

const DAY_SECONDS = 24 * 3600;
const MAX_SECONDS = 10 * 365 * DAY_SECONDS;
const ADMIN_SECONDS = 90 * DAY_SECONDS;

const findFaults = ({ site, actions, expiresInSeconds }: TokenRequest): Fault[] => {
  const faults: Fault[] = [];
  const siteFault = site === undefined ? undefined : siteNameFault(site);
  if (siteFault) faults.push({ path: "/body/site", message: siteFault });
  if (site !== undefined && actions.includes("admin"))
    faults.push({ path: "/body/actions", message: "a token for one site cannot be an admin token" });
  if (site !== undefined && (actions.includes("watch") || actions.includes("steer")))
    faults.push({ path: "/body/actions", message: "a token for one site cannot watch or steer workers" });
  if (actions.length === 0)
    faults.push({ path: "/body/actions", message: `needs at least one of ${TOKEN_ACTIONS.join(", ")}` });
  if (expiresInSeconds !== undefined && (expiresInSeconds < 1 || expiresInSeconds > MAX_SECONDS))
    faults.push({ path: "/body/expiresInSeconds", message: `must be from 1 to ${MAX_SECONDS}` });
  return faults;
};

/** Makes a token and returns its secret, which exists nowhere else. @throws AppError `bad-data` with every fault */
export const createToken = async (
  { tokens, now }: { tokens: TokenStore; now: () => number },
  request: TokenRequest,
): Promise<{ token: Token; secret: string }> => {
  const faults = findFaults(request);
  if (faults.length > 0)
    throw new AppError("bad-data", `Invalid token: ${faults.map(({ message }) => message).join("; ")}`, {
      faults,
    });
  const secret = newSecret();
  const actions = TOKEN_ACTIONS.filter((action) => request.actions.includes(action));
  const token: Token = {
    id: newTokenId(),
    label:
      request.label ??
      (request.site === undefined ? actions.join("+") : `${request.site} ${actions.join("+")}`),
    sha256: secretDigest(secret),
    site: request.site,
    actions,
    createdAt: now(),
    expiresAt: endOf(request, now()),
  };
  await tokens.add(token);
  return { token, secret };
};

/** What may do everything ends by itself, unless its maker says when. */
const endOf = ({ actions, expiresInSeconds }: TokenRequest, now: number): number | undefined => {
  const seconds = expiresInSeconds ?? (actions.includes("admin") ? ADMIN_SECONDS : undefined);
  return seconds === undefined ? undefined : now + seconds * 1000;
};

/** A session that somebody got hold of must not make itself a token. @throws AppError `forbidden` */
export const requireTokenAgain = ({ via }: Principal): void => {
  if (via === "session")
    throw new AppError(
      "forbidden",
      "Making a token asks for yours again: send it as Authorization: Bearer <token>",
    );
};

/** What whoever revokes a token should know: that it is their own, or the one in the server's folder. */
export const noticeOfRevoking = async (
  { tokens, adminTokenFile }: Pick<AuthPorts, "tokens" | "adminTokenFile">,
  { tokenId }: Principal,
  id: string,
): Promise<string | undefined> => {
  const secret = readFileIfThere(adminTokenFile)?.trim() ?? "";
  const inFile = isSecret(secret) ? await tokens.findByDigest(secretDigest(secret)) : undefined;
  if (inFile?.id === id)
    return `${adminTokenFile} held this token; restart the server and it writes a new one there`;
  return tokenId === id ? "This was your own token; sign in with another one" : undefined;
};

export const Action = Type.Unsafe<TokenAction>(
  Type.Union(TOKEN_ACTIONS.map((action) => Type.Literal(action))),
);

export const TokenView = Type.Object({
  id: Type.String(),
  label: Type.String(),
  site: Type.Optional(Type.String({ description: "the only site it is for; absent: every site" })),
  actions: Type.Array(Action),
  createdAt: Type.String(),
  expiresAt: Type.Optional(Type.String()),
  lastUsedAt: Type.Optional(Type.String()),
  isCurrent: Type.Optional(Type.Boolean({ description: "whether it is the one that asks" })),
});
export type TokenView = Static<typeof TokenView>;

/** A token as it is shown: never its digest. */
export const describeToken = (token: Token, self?: Principal): TokenView => ({
  id: token.id,
  label: token.label,
  ...(token.site === undefined ? {} : { site: token.site }),
  actions: token.actions,
  createdAt: new Date(token.createdAt).toISOString(),
  ...(token.expiresAt === undefined ? {} : { expiresAt: new Date(token.expiresAt).toISOString() }),
  ...(token.lastUsedAt === undefined ? {} : { lastUsedAt: new Date(token.lastUsedAt).toISOString() }),
  ...(self?.tokenId === token.id ? { isCurrent: true } : {}),
});
