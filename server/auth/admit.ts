import { authenticate, type AuthPorts } from "./authenticate.ts";
import { isLocalRequest } from "./local-request.ts";
import { type AccessPorts, findAccess } from "./memory-access.ts";
import { isSecret } from "./token.ts";

/**
 * Lets in whoever uses this machine, and from elsewhere whoever has any token or key of ours: for what is no
 * secret, and no stranger's business.
 * @throws AppError `unauthorized`, `rate-limited`
 */
export const admit = async (
  { tokens, memory }: { tokens: AuthPorts; memory: AccessPorts },
  request: Request,
): Promise<void> => {
  if (isLocalRequest(tokens.locality, request)) return;
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (bearer !== undefined && !isSecret(bearer) && (await findAccess(memory, bearer))) return;
  await authenticate(tokens, request);
};
