import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync } from "node:fs";
import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { AppError, systemCode } from "../../core/errors.ts";
import { authenticateFirst } from "../auth/authenticate-first.ts";
import type { RateLimiter } from "../auth/rate-limit.ts";
import { getRequestInfo } from "../http/request-info.ts";
import type { KeyStore } from "./store/store.ts";

/** Who asks, and what they may do. */
export type Access = {
  writer: string;
  scopes: readonly string[] | "all";
  level: "none" | "read" | "write" | "admin";
};

/** What a route needs: `admin` is the key file's own key, which may also manage keys. */
export type Need = "read" | "write" | "admin";

export type AccessPorts = {
  keys: KeyStore;
  /** the key of `~/.memory-api-key` */
  mainKey: string;
  /** what somebody without a key may see */
  anonymous: Access;
  failures: RateLimiter;
};

export const SHARED_SCOPE = "shared";
const NEEDED: Record<Need, string> = {
  read: "read here",
  write: "write here",
  admin: "do this: only the key of the key file may",
};
const RANK: Record<Access["level"], number> = { none: 0, read: 1, write: 2, admin: 3 };

/**
 * Reads the key file, or makes it: 256 random bits, mode 600, whole or not at all.
 * @throws AppError `config` when there is a file without a usable key
 */
export const loadOrMakeKey = (path: string): string => {
  const known = readFileIfThere(path);
  if (known !== undefined) {
    const key = known.trim();
    if (!/^[\x21-\x7e]{16,512}$/.test(key))
      throw new AppError(
        "config",
        `${path} holds no key of 16 to 512 printable characters; fix it, or delete it to get a new one`,
      );
    closeToOthers(path);
    return key;
  }
  const key = `nsm_${randomBytes(32).toString("base64url")}`;
  writeFileDurably(path, `${key}\n`, { mode: 0o600 });
  return key;
};

/** A secret that somebody mounts read-only, or owns, has the mode that they gave it. */
const closeToOthers = (path: string): void => {
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    if (!["EROFS", "EPERM"].includes(systemCode(error) ?? "")) throw error;
  }
};

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export const hashKey = (key: string): string => digest(key).toString("hex");

/**
 * Who asks. A wrong key is refused even where none is needed: its sender believes to be somebody.
 * @throws AppError `unauthorized`, `forbidden`, or `rate-limited` after too many wrong keys
 */
export const authorize = async (ports: AccessPorts, request: Request, need: Need): Promise<Access> => {
  const access = await identify(ports, request);
  if (RANK[access.level] >= RANK[need]) return access;
  if (request.headers.get("authorization") === null)
    throw new AppError("unauthorized", "unauthorized - API key required: send Authorization: Bearer <key>");
  throw new AppError("forbidden", `The key of "${access.writer}" may not ${NEEDED[need]}`);
};

/** Options of a route that needs this: refused before its input is looked at. */
export const authorizeFirst = (ports: AccessPorts, need: Need) =>
  authenticateFirst((request) => authorize(ports, request, need));

// A route asks before it reads a request and again when it answers: the same, and a wrong key counts once.
const identified = new WeakMap<Request, Promise<Access>>();

const identify = (ports: AccessPorts, request: Request): Promise<Access> => {
  const known = identified.get(request) ?? readAccess(ports, request);
  identified.set(request, known);
  return known;
};

const readAccess = async (ports: AccessPorts, request: Request): Promise<Access> => {
  const header = request.headers.get("authorization");
  if (header === null) return ports.anonymous;
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (key !== undefined) {
    // Digests of equal length: the comparison takes the same time wherever the keys differ.
    if (timingSafeEqual(digest(key), digest(ports.mainKey)))
      return { writer: "main", scopes: "all", level: "admin" };
    const known = await ports.keys.findByHash(hashKey(key));
    if (known) return { writer: known.writer, scopes: known.scopes, level: known.access };
  }
  // Counted per address; a good key is never held up by somebody's bad ones.
  await ports.failures.take(getRequestInfo(request).clientAddress ?? "unknown");
  throw new AppError("unauthorized", "unauthorized - this API key is not known");
};

/**
 * Refuses a stranger who is let in to read the scope `shared` and nothing else.
 * @throws AppError `unauthorized`
 */
export const requireMoreThanShared = ({ anonymous }: AccessPorts, access: Access): void => {
  if (access === anonymous && access.scopes !== "all")
    throw new AppError(
      "unauthorized",
      "unauthorized - this needs an API key: send Authorization: Bearer <key>",
    );
};

/**
 * The scopes a read looks at: those asked for, else what the caller has, else `shared`.
 * @throws AppError `forbidden` for one that the caller may not see
 */
export const readableScopes = (
  access: Access,
  asked: readonly string[] | undefined,
): readonly string[] | "all" => {
  if (asked === undefined) return access.scopes === "all" ? [SHARED_SCOPE] : access.scopes;
  for (const scope of asked) requireScope(access, scope);
  return asked;
};

/** The scope a write goes to: the one asked for, else `shared`, else the only one the key has. */
export const writableScope = (access: Access, asked: string | undefined): string => {
  const [only] =
    access.scopes === "all"
      ? [SHARED_SCOPE]
      : access.scopes.includes(SHARED_SCOPE)
        ? [SHARED_SCOPE]
        : access.scopes;
  const scope = asked ?? only ?? SHARED_SCOPE;
  requireScope(access, scope);
  return scope;
};

export const maySee = ({ scopes }: Access, scope: string): boolean =>
  scopes === "all" || scopes.includes(scope);

/** @throws AppError `forbidden` for a scope that the caller may not see */
export const requireScope = (access: Access, scope: string): void => {
  if (!maySee(access, scope))
    throw new AppError("forbidden", `The key of "${access.writer}" has no access to the scope "${scope}"`);
};
