import { timingSafeEqual } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import { getRequestInfo } from "../http/request-info.ts";
import { authenticateFirst } from "./authenticate-first.ts";
import { hashKey, keyDigest } from "./key-file.ts";
import type { KeyStore } from "./key-store.ts";
import { type Locality, isLocalRequest } from "./local-request.ts";
import { oncePerRequest } from "./once-per-request.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { nameToken, type Principal } from "./authenticate.ts";
import { type Access, SHARED_SCOPE } from "./scopes.ts";

/** What a route of the memory needs: `admin` is the key file's own key, which may also manage keys. */
export type Need = "read" | "write" | "admin";

export type AccessPorts = {
  keys: KeyStore;
  /** the key of `~/.memory-api-key` */
  mainKey: string;
  locality: Locality;
  /** whether somebody elsewhere may read the scope `shared` without a key */
  isPublic: boolean;
  failures: RateLimiter;
  /** who has signed in, or sends a token, where a request says so: they need no key */
  signedIn: (request: Request) => Promise<Principal | undefined>;
};

const NEEDED: Record<Need, string> = {
  read: "read here",
  write: "write here",
  admin: "do this: only the key of the key file may",
};
const RANK: Record<Access["level"], number> = { none: 0, read: 1, write: 2, admin: 3 };

/**
 * Who asks. A wrong key is refused even where none is needed: its sender believes to be somebody.
 * @throws AppError `unauthorized`, `forbidden`, or `rate-limited` after too many wrong keys
 */
export const authorize = async (ports: AccessPorts, request: Request, need: Need): Promise<Access> => {
  const access = await identify(ports, request);
  if (RANK[access.level] >= RANK[need]) return access;
  if (access.isAnonymous)
    throw new AppError("unauthorized", "unauthorized - API key required: send Authorization: Bearer <key>");
  throw new AppError("forbidden", `The key of "${access.writer}" may not ${NEEDED[need]}`);
};

/** Options of a route that needs this: refused before its input is looked at. */
export const authorizeFirst = (ports: AccessPorts, need: Need) =>
  authenticateFirst((request) => authorize(ports, request, need));

/** Whoever uses this machine reads everything; from elsewhere a key is asked for, or only `shared` is read. */
const anonymousAccess = ({ locality, isPublic }: AccessPorts, request: Request): Access =>
  isLocalRequest(locality, request)
    ? { writer: "anonymous", scopes: "all", level: "read", isAnonymous: true }
    : { writer: "anonymous", scopes: [SHARED_SCOPE], level: isPublic ? "read" : "none", isAnonymous: true };

/** What a token of the server may do here: an administrator everything, who may watch workers read. */
const accessOf = ({ label, tokenId, site, actions }: Principal): Access | undefined => {
  if (site !== undefined) return undefined;
  const writer = nameToken({ id: tokenId, label });
  if (actions.includes("admin")) return { writer, scopes: "all", level: "admin" };
  return actions.includes("watch") || actions.includes("steer")
    ? { writer, scopes: "all", level: "read" }
    : undefined;
};

const readAccess = async (ports: AccessPorts, request: Request): Promise<Access> => {
  const principal = await ports.signedIn(request);
  if (principal) return accessOf(principal) ?? anonymousAccess(ports, request);
  const header = request.headers.get("authorization");
  if (header === null) return anonymousAccess(ports, request);
  const info = getRequestInfo(request);
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (key !== undefined) {
    const access = await findAccess(ports, key);
    if (access) {
      info.principal = `key ${access.writer}`;
      return access;
    }
  }
  // Counted per address; a good key is never held up by somebody's bad ones.
  await ports.failures.take(info.clientAddress ?? "unknown");
  throw new AppError("unauthorized", "unauthorized - this API key is not known");
};

const identify = oncePerRequest(readAccess);

/** What this key may do, or undefined when nobody has it. */
export const findAccess = async (
  { keys, mainKey }: Pick<AccessPorts, "keys" | "mainKey">,
  key: string,
): Promise<Access | undefined> => {
  // Digests of equal length: the comparison takes the same time wherever the keys differ.
  if (timingSafeEqual(keyDigest(key), keyDigest(mainKey)))
    return { writer: "main", scopes: "all", level: "admin" };
  const known = await keys.findByHash(hashKey(key));
  return known && { writer: known.writer, scopes: known.scopes, level: known.access };
};

/**
 * Refuses a stranger who is let in to read the scope `shared` and nothing else.
 * @throws AppError `unauthorized`
 */
export const requireMoreThanShared = (access: Access): void => {
  if (access.isAnonymous && access.scopes !== "all")
    throw new AppError(
      "unauthorized",
      "unauthorized - this needs an API key: send Authorization: Bearer <key>",
    );
};
