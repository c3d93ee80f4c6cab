import { Elysia } from "elysia";
import { AppError } from "../../core/errors.ts";
import { Type } from "../../core/schema.ts";
import { documented } from "../http/route-docs.ts";
import { authenticate, type AuthPorts, checkSecret, requireAction, signedInFirst } from "./authenticate.ts";
import { createToken, describeToken } from "./manage-tokens.ts";
import { readSessionCookie, SESSION_SECONDS, sessionCookie } from "./session-cookie.ts";
import { newSecret, secretDigest, TOKEN_ACTIONS } from "./token.ts";

const Action = Type.Union(TOKEN_ACTIONS.map((action) => Type.Literal(action)));

const TokenView = Type.Object({
  id: Type.String(),
  label: Type.String(),
  site: Type.Optional(Type.String({ description: "the only site it is for; absent: every site" })),
  actions: Type.Array(Action),
  createdAt: Type.String(),
  expiresAt: Type.Optional(Type.String()),
  lastUsedAt: Type.Optional(Type.String()),
});

const TOKEN_EXAMPLE = {
  id: "tok_0f3a9c1e5b7d2468",
  label: "docs upload+activate",
  site: "docs",
  actions: ["upload", "activate"],
  createdAt: "2026-11-20T18:00:00.000Z",
  expiresAt: "2026-12-20T18:00:00.000Z",
};

const NewToken = Type.Object(
  {
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    site: Type.Optional(Type.String({ maxLength: 63 })),
    actions: Type.Array(Action, { maxItems: 8 }),
    expiresInSeconds: Type.Optional(Type.Integer()),
  },
  { additionalProperties: false },
);

const Identity = Type.Object({
  token: Type.String(),
  label: Type.String(),
  site: Type.Optional(Type.String()),
  actions: Type.Array(Action),
  via: Type.String(),
});
const IDENTITY_EXAMPLE = {
  token: "tok_0f3a9c1e5b7d2468",
  label: "admin",
  actions: ["admin"],
  via: "session",
};

/** Tokens, and signing in with one. */
export const authRoutes = (ports: AuthPorts) => {
  const { tokens, cookies, now } = ports;
  return new Elysia({ name: "auth" })
    .get(
      "/api/me",
      async ({ request }) => {
        const { tokenId, label, site, actions, via } = await authenticate(ports, request);
        return { token: tokenId, label, ...(site === undefined ? {} : { site }), actions, via };
      },
      documented({
        summary: "Who you are and what you may do",
        tag: "tokens",
        auth: true,
        response: Identity,
        example: IDENTITY_EXAMPLE,
        errors: ["unauthorized"],
      }),
    )
    .post(
      "/api/session",
      async ({ request, body, set }) => {
        const token = await checkSecret(ports, request, body.token.trim());
        const secret = newSecret();
        const at = now();
        const ends = Math.min(at + SESSION_SECONDS * 1000, token.expiresAt ?? Number.POSITIVE_INFINITY);
        await tokens.addSession({ sha256: secretDigest(secret), token: token.id, expiresAt: ends }, at);
        set.headers["set-cookie"] = sessionCookie(secret, cookies, Math.floor((ends - at) / 1000));
        set.headers["cache-control"] = "no-store";
        const { label, site, actions } = token;
        return { token: token.id, label, ...(site === undefined ? {} : { site }), actions, via: "session" };
      },
      {
        body: Type.Object({ token: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
        ...documented({
          summary: "Sign a browser in with a token; sets the session cookie",
          tag: "tokens",
          response: Identity,
          example: IDENTITY_EXAMPLE,
          errors: ["bad-data", "unauthorized", "forbidden", "rate-limited"],
        }),
      },
    )
    .delete(
      "/api/session",
      async ({ request, set }) => {
        const secret = readSessionCookie(request.headers.get("cookie"), cookies);
        if (secret !== undefined) {
          await authenticate(ports, request);
          await tokens.removeSession(secretDigest(secret));
        }
        set.headers["set-cookie"] = sessionCookie("", cookies, 0);
        return { ok: true };
      },
      documented({
        summary: "Sign out",
        tag: "tokens",
        response: Type.Object({ ok: Type.Boolean() }),
        example: { ok: true },
        errors: ["unauthorized", "forbidden"],
      }),
    )
    .get(
      "/api/tokens",
      async ({ request }) => {
        const principal = await authenticate(ports, request);
        requireAction(principal, "admin");
        return { tokens: (await tokens.list()).map((token) => describeToken(token, principal)) };
      },
      documented({
        summary: "List tokens (never their secrets)",
        tag: "tokens",
        auth: true,
        response: Type.Object({ tokens: Type.Array(TokenView) }),
        example: { tokens: [TOKEN_EXAMPLE] },
        errors: ["unauthorized", "forbidden"],
      }),
    )
    .post(
      "/api/tokens",
      async ({ request, body, set }) => {
        requireAction(await authenticate(ports, request), "admin");
        const { token, secret } = await createToken(ports, body);
        set.status = 201;
        set.headers["cache-control"] = "no-store";
        return { ...describeToken(token), token: secret };
      },
      {
        ...signedInFirst(ports).json,
        body: NewToken,
        ...documented({
          summary: "Make a token; its secret is shown this once",
          tag: "tokens",
          auth: true,
          status: 201,
          response: Type.Composite([TokenView, Type.Object({ token: Type.String() })]),
          example: { ...TOKEN_EXAMPLE, token: "nightshift_…" },
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .delete(
      "/api/tokens/:id",
      async ({ request, params }) => {
        requireAction(await authenticate(ports, request), "admin");
        if (!(await tokens.remove(params.id)))
          throw new AppError("not-found", `There is no token ${params.id.slice(0, 80)}`);
        return { ok: true, id: params.id };
      },
      {
        params: Type.Object({ id: Type.String() }),
        ...documented({
          summary: "Revoke a token and end its sessions, at once",
          tag: "tokens",
          auth: true,
          response: Type.Object({ ok: Type.Boolean(), id: Type.String() }),
          example: { ok: true, id: "tok_0f3a9c1e5b7d2468" },
          errors: ["unauthorized", "forbidden", "not-found"],
        }),
      },
    );
};
