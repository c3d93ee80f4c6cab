import { AppError } from "../../core/errors.ts";
import { authenticate, type AuthPorts, type Principal, requireAction } from "../auth/authenticate.ts";
import { authenticateFirst } from "../auth/authenticate-first.ts";
import { type AccessPorts, authorize } from "../auth/memory-access.ts";
import { requireScope, SHARED_SCOPE } from "../auth/scopes.ts";
import { isSecret } from "../auth/token.ts";

export type NightAccess = { tokens: AuthPorts; memory: AccessPorts };

const isKey = (request: Request): boolean => {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  return bearer !== undefined && !isSecret(bearer);
};

/** Who may steer may look, too. @throws AppError `forbidden` */
export const requireWatching = (principal: Principal): void => {
  if (principal.actions.includes("steer") && principal.site === undefined) return;
  requireAction(principal, "watch");
};

/** Who may look: a token or session that may `watch` or `steer`, and the key of the memory, which reports. */
const allowWatching = async ({ tokens, memory }: NightAccess, request: Request): Promise<void> => {
  if (isKey(request)) {
    requireScope(await authorize(memory, request, "read"), SHARED_SCOPE);
    return;
  }
  requireWatching(await authenticate(tokens, request));
};

/** Who may ask something of a worker: a key cannot, whoever reports must not steer others. */
export const allowSteering = async ({ tokens }: NightAccess, request: Request): Promise<Principal> => {
  if (isKey(request))
    throw new AppError("forbidden", "A key of the memory may not steer workers: use a token that may steer");
  const principal = await authenticate(tokens, request);
  requireAction(principal, "steer");
  return principal;
};

const allowReporting = async ({ memory }: NightAccess, request: Request): Promise<void> =>
  requireScope(await authorize(memory, request, "write"), SHARED_SCOPE);

/** The same as options of routes: refused before their input is looked at. */
export const nightAccess = (access: NightAccess) => ({
  watching: authenticateFirst((request) => allowWatching(access, request)),
  steering: authenticateFirst((request) => allowSteering(access, request)),
  reporting: authenticateFirst((request) => allowReporting(access, request)),
});
