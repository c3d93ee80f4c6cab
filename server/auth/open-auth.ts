import { join } from "node:path";
import { type Log, logFailure } from "../../core/log.ts";
import { ADMIN_TOKEN_FILE, ensureAdminToken } from "./admin-token.ts";
import type { AuthStores } from "./auth-stores.ts";
import { type AuthPorts, findSignedIn } from "./authenticate.ts";
import { loadOrMakeKey } from "./key-file.ts";
import { localityOf } from "./local-request.ts";
import type { AccessPorts } from "./memory-access.ts";
import type { Rate } from "./rate-limit.ts";
import type { Token } from "./token.ts";

export type AuthSettings = {
  host: string;
  home: string;
  publicUrl: string | undefined;
  allowedHosts: readonly string[];
  memoryKeyFile: string;
  memoryPublicRead: boolean;
};

/** Who may come in: with tokens to publish and administrate, with keys to the memory. */
export type Auth = { tokens: AuthPorts; memory: AccessPorts; close: () => void };

const REFUSED_SIGN_INS: Rate = { burst: 20, perMinute: 10 };
const WRONG_KEYS: Rate = { burst: 20, perMinute: 20 };
const TIDY_MS = 3_600_000;

/** Makes sure that the owner of the server can get in, and builds what decides about everybody else. */
export const openAuth = async (
  settings: AuthSettings,
  {
    stores,
    log,
    now,
    onMade,
  }: {
    stores: AuthStores;
    log: Log;
    now: () => number;
    /** told of a token that the server made for its owner */
    onMade: (token: Token) => Promise<void>;
  },
): Promise<Auth> => {
  const { tokens, keys, limiters, isShared } = stores;
  const locality = localityOf(settings);
  const adminTokenFile = join(settings.home, ADMIN_TOKEN_FILE);
  if (!(await ensureAdminToken(adminTokenFile, { tokens, isShared, now, onMade })))
    log.info(
      { file: adminTokenFile },
      "the shared database has an admin token; copy its file here to use it here",
    );
  const timer = setInterval(() => {
    stores.tidy().catch((error: unknown) => logFailure(log, error, "tidying up who came in failed"));
  }, TIDY_MS);
  timer.unref();
  const ports: AuthPorts = {
    tokens,
    failures: limiters("refused sign-ins", REFUSED_SIGN_INS),
    cookies: { isSecure: settings.publicUrl?.startsWith("https:") ?? false },
    locality,
    adminTokenFile,
    now,
  };
  return {
    tokens: ports,
    memory: {
      signedIn: (request) => findSignedIn(ports, request),
      keys,
      mainKey: loadOrMakeKey(settings.memoryKeyFile),
      locality,
      isPublic: settings.memoryPublicRead,
      failures: limiters("wrong keys", WRONG_KEYS),
    },
    close: () => clearInterval(timer),
  };
};
