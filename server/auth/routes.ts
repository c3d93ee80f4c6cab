import { Elysia } from "elysia";
import { AppError } from "../../core/errors.ts";
import { type Static, Type } from "../../core/schema.ts";
import { documented } from "../http/route-docs.ts";
import { getRequestInfo } from "../http/request-info.ts";
import { authenticate, type AuthPorts, nameToken, requireAction, signedInFirst } from "./authenticate.ts";
import {
  Action,
  createToken,
  describeToken,
  noticeOfRevoking,
  requireTokenAgain,
  TokenView,
} from "./manage-tokens.ts";

const ListAnswer = Type.Object({ tokens: Type.Array(TokenView) });
const MadeAnswer = Type.Composite([TokenView, Type.Object({ token: Type.String() })]);
const RevokedAnswer = Type.Object({
  ok: Type.Boolean(),
  id: Type.String(),
  notice: Type.Optional(Type.String({ description: "what now lacks a token, and what to do" })),
});

const NewToken = Type.Object(
  {
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    site: Type.Optional(Type.String({ maxLength: 63 })),
    actions: Type.Array(Action, { maxItems: 8 }),
    expiresInSeconds: Type.Optional(Type.Integer()),
  },
  { additionalProperties: false },
);

/** Tokens: who has one, making and revoking them. */
export const authRoutes = (ports: AuthPorts) => {
  const { tokens } = ports;
  return new Elysia({ name: "auth", tags: ["tokens"] })
    .get(
      "/api/tokens",
      async ({ request }): Promise<Static<typeof ListAnswer>> => {
        const principal = await authenticate(ports, request);
        requireAction(principal, "admin");
        return { tokens: (await tokens.list()).map((token) => describeToken(token, principal)) };
      },
      documented({
        summary: "List tokens (never their secrets)",
        auth: true,
        response: ListAnswer,
        errors: ["unauthorized", "forbidden"],
      }),
    )
    .post(
      "/api/tokens",
      async ({ request, body, set }): Promise<Static<typeof MadeAnswer>> => {
        const principal = await authenticate(ports, request);
        requireAction(principal, "admin");
        requireTokenAgain(principal);
        const { token, secret } = await createToken(ports, body);
        getRequestInfo(request).subject = nameToken(token);
        set.status = 201;
        set.headers["cache-control"] = "no-store";
        return { ...describeToken(token), token: secret };
      },
      {
        ...signedInFirst(ports).json,
        body: NewToken,
        ...documented({
          summary: "Make a token; its secret is shown this once",
          description:
            "Asks for the token itself (`Authorization: Bearer`): a session is not enough. A token that may do everything ends after 90 days unless `expiresInSeconds` says otherwise.",
          auth: true,
          status: 201,
          response: MadeAnswer,
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .delete(
      "/api/tokens/:id",
      async ({ request, params }): Promise<Static<typeof RevokedAnswer>> => {
        const principal = await authenticate(ports, request);
        requireAction(principal, "admin");
        getRequestInfo(request).subject = params.id;
        const notice = await noticeOfRevoking(ports, principal, params.id);
        if (!(await tokens.remove(params.id)))
          throw new AppError("not-found", `There is no token ${params.id.slice(0, 80)}`);
        return { ok: true, id: params.id, ...(notice === undefined ? {} : { notice }) };
      },
      {
        params: Type.Object({ id: Type.String() }),
        ...documented({
          summary: "Revoke a token and end its sessions, at once",
          auth: true,
          response: RevokedAnswer,
          errors: ["unauthorized", "forbidden", "not-found"],
        }),
      },
    );
};
