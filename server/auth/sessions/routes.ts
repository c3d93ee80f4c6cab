import { Elysia } from "elysia";
import { type Static, Type } from "../../../core/schema.ts";
import { documented, Done } from "../../http/route-docs.ts";
import { authenticate, type AuthPorts, findSession } from "../authenticate.ts";
import { SESSION_HEADER } from "../session-cookie.ts";
import { signIn, signOut } from "./sign-in.ts";
import { Action } from "../manage-tokens.ts";

const Identity = Type.Object({
  token: Type.String(),
  label: Type.String(),
  site: Type.Optional(Type.String()),
  actions: Type.Array(Action),
  via: Type.Union([Type.Literal("token"), Type.Literal("session")]),
});
type Identity = Static<typeof Identity>;
const Session = Type.Composite([
  Identity,
  Type.Object({
    session: Type.String({ description: `the page's half of the session, for ${SESSION_HEADER}` }),
    expiresAt: Type.String(),
  }),
]);

/** Who somebody is, and browsers that sign in and out. */
export const sessionRoutes = (ports: AuthPorts) =>
  new Elysia({ name: "sessions", tags: ["tokens"] })
    .get(
      "/api/me",
      async ({ request }): Promise<Identity> => {
        const { tokenId, label, site, actions, via } = await authenticate(ports, request);
        return { token: tokenId, label, ...(site === undefined ? {} : { site }), actions: [...actions], via };
      },
      documented({
        summary: "Who you are and what you may do",
        auth: true,
        response: Identity,
        errors: ["unauthorized"],
      }),
    )
    .post(
      "/api/session",
      async ({ request, body, set }): Promise<Static<typeof Session>> => {
        const { token, proof, expiresAt, setCookie } = await signIn(ports, request, body.token);
        set.headers["set-cookie"] = setCookie;
        set.headers["cache-control"] = "no-store";
        const { id, label, site, actions } = token;
        return {
          token: id,
          label,
          ...(site === undefined ? {} : { site }),
          actions,
          via: "session",
          session: proof,
          expiresAt: new Date(expiresAt).toISOString(),
        };
      },
      {
        body: Type.Object({ token: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
        ...documented({
          summary: "Sign a browser in with a token; sets the session cookie",
          description: `The cookie is half of the session: each request also carries \`session\` in the header \`${SESSION_HEADER}\`.`,
          response: Session,
          errors: ["bad-data", "unauthorized", "forbidden", "rate-limited"],
        }),
      },
    )
    .delete(
      "/api/session",
      async ({ request, set }): Promise<Done> => {
        if (findSession(ports, request)) await authenticate(ports, request);
        const setCookie = await signOut(ports, request);
        if (setCookie !== undefined) set.headers["set-cookie"] = setCookie;
        return { ok: true };
      },
      documented({
        summary: "Sign out",
        response: Done,
        errors: ["unauthorized", "forbidden"],
      }),
    );
