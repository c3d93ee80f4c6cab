import { SESSION_HEADER } from "../../server/auth/session-cookie.ts";
import type { Teller } from "./tell.ts";

/** A token that is made and revoked, a browser that signs in and out, and what is noted of it. */
export const tellAccess = async ({ tell, server, admin: as }: Teller): Promise<void> => {
  const made = await tell<{ id: string }>("POST /api/tokens", {
    as,
    body: {
      label: "docs upload+activate",
      site: "docs",
      actions: ["upload", "activate"],
      expiresInSeconds: 2_592_000,
    },
  });
  await tell("GET /api/tokens", { as });
  await tell("GET /api/me", { as });
  await tell("DELETE /api/tokens/{id}", { as, at: made });
  await tell("POST /api/session", { as: null, body: { token: as } });
  const { headers, text } = await server.ask("POST", "/api/session", { as: null, body: { token: as } });
  const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const { session } = JSON.parse(text) as { session: string };
  await tell("DELETE /api/session", {
    as: null,
    headers: { cookie, origin: server.url, [SESSION_HEADER]: session },
  });
  await tell("GET /api/security-log", { as });
  await tell("GET /api/security-log/verify", { as });
};

export const tellSystem = async ({ tell, admin: as }: Teller): Promise<void> => {
  await tell("GET /health");
  await tell("GET /metrics");
  await tell("GET /api/backup", { as });
};
