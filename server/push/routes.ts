import { Elysia } from "elysia";
import { AppError } from "../../core/errors.ts";
import { type Static, Type } from "../../core/schema.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authenticateFirst } from "../auth/authenticate-first.ts";
import { authorizeFirst } from "../auth/memory-access.ts";
import { getRequestInfo } from "../http/request-info.ts";
import { documented, Done } from "../http/route-docs.ts";
import { type NightAccess, requireWatching } from "../night/access.ts";
import type { PushStore } from "./store.ts";

export type PushPorts = { store: PushStore; now: () => number };

const Endpoint = Type.String({
  pattern: "^https://[^\\s]+$",
  maxLength: 2000,
  description: "Address of the device at its browser's push service",
});
const Device = Type.Object(
  {
    endpoint: Endpoint,
    p256dh: Type.String({ pattern: "^[\\w-]{87}=?$", description: "Its public key, base64url" }),
    auth: Type.String({ pattern: "^[\\w-]{22}(==)?$", description: "Its secret, base64url" }),
  },
  { additionalProperties: false },
);

const KeyAnswer = Type.Object({
  publicKey: Type.String({ description: "The server's key (RFC 8292), base64url" }),
  askedAt: Type.Optional(Type.String()),
});
const SenderAnswer = Type.Object({
  publicKey: Type.String(),
  privateKey: Type.String(),
  devices: Type.Array(Device),
});

/** Notifications through browsers: devices ask for them here, the sender of notices fetches what it needs to send. */
export const pushRoutes = ({ store, now }: PushPorts, access: NightAccess) => {
  const person = async (request: Request) => {
    const principal = await authenticate(access.tokens, request);
    requireWatching(principal);
    return principal;
  };
  const watching = authenticateFirst(person);
  /** A device whose token was revoked or has expired is told nothing more. */
  const devices = async () => {
    const current = new Set(
      (await access.tokens.tokens.list())
        .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now())
        .map(({ id }) => id),
    );
    return (await store.list()).filter(({ token }) => current.has(token));
  };
  return new Elysia({ name: "push", tags: ["night"] })
    .get(
      "/api/push",
      async (): Promise<Static<typeof KeyAnswer>> => {
        const { publicKey, askedAt } = await store.keys();
        return {
          publicKey,
          ...(askedAt === undefined ? {} : { askedAt: new Date(askedAt).toISOString() }),
        };
      },
      {
        ...watching.plain,
        ...documented({
          summary: "What a browser needs to receive notifications (web push)",
          description:
            "`askedAt` is when a machine of workers asked for the devices last: without it no channel of the kind `webpush` is declared anywhere.",
          auth: true,
          response: KeyAnswer,
          errors: ["unauthorized", "forbidden"],
        }),
      },
    )
    .post(
      "/api/push/devices",
      async ({ body, request }): Promise<Done> => {
        const { tokenId } = await person(request);
        getRequestInfo(request).subject = `a device at ${new URL(body.endpoint).host}`;
        await store.add(body, { token: tokenId, at: now() });
        return { ok: true };
      },
      {
        ...watching.json,
        body: Device,
        ...documented({
          summary: "Sends a device notifications for as long as its token is valid",
          auth: true,
          response: Done,
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .post(
      "/api/push/devices/forget",
      async ({ body: { endpoint }, request }): Promise<Done> => {
        const { tokenId, actions } = await person(request);
        const known = (await store.list()).find((device) => device.endpoint === endpoint);
        if (known && known.token !== tokenId && !actions.includes("admin"))
          throw new AppError("forbidden", "That device signed in with another token");
        await store.remove(endpoint);
        return { ok: true };
      },
      {
        ...watching.json,
        body: Type.Object({ endpoint: Endpoint }, { additionalProperties: false }),
        ...documented({
          summary: "Stops sending a device notifications",
          auth: true,
          response: Done,
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .post(
      "/api/push/send",
      async ({ body: { gone } }): Promise<Static<typeof SenderAnswer>> => {
        for (const endpoint of gone) await store.remove(endpoint);
        const { publicKey, privateKey } = await store.keys();
        await store.noteAsked(now());
        return {
          publicKey,
          privateKey,
          devices: (await devices()).map(({ token: _token, ...device }): Static<typeof Device> => device),
        };
      },
      {
        ...authorizeFirst(access.memory, "admin").json,
        body: Type.Object(
          {
            gone: Type.Array(Endpoint, {
              maxItems: 100,
              description: "Devices that their push service no longer knows: they are forgotten",
            }),
          },
          { additionalProperties: false },
        ),
        ...documented({
          summary: "What the sender of notices needs: the server's key pair, and every device",
          description: "Only for the key of the key file, which a user's own machine has.",
          auth: true,
          response: SenderAnswer,
          errors: ["unauthorized", "forbidden"],
        }),
      },
    );
};
