import { Elysia } from "elysia";
import type { AuthPorts } from "../auth/authenticate.ts";
import { isLocalRequest } from "../auth/local-request.ts";
import { createAssetResponder, manifestResponse, pageResponse } from "./page.ts";

const hidden = { detail: { hide: true } };

/** The publisher's page. It holds no data itself: what it shows it asks the API for, with the session. */
export const appRoutes = ({ locality, adminTokenFile }: Pick<AuthPorts, "locality" | "adminTokenFile">) => {
  const sendPage = ({ request }: { request: Request }): Response =>
    pageResponse(isLocalRequest(locality, request) ? adminTokenFile : undefined);
  const sendAsset = createAssetResponder();
  return new Elysia({ name: "app" })
    .get("/", () => new Response(null, { status: 302, headers: { location: "/app" } }), hidden)
    .get("/app", sendPage, hidden)
    .get("/app/", sendPage, hidden)
    .get("/app/app.js", ({ request }) => sendAsset("app.js", request), hidden)
    .get("/app/app.css", ({ request }) => sendAsset("app.css", request), hidden)
    .get("/app/icon.svg", ({ request }) => sendAsset("icon.svg", request), hidden)
    .get("/app/manifest.webmanifest", () => manifestResponse(), hidden)
    .get("/app/parts/:file", ({ params, request }) => sendAsset(params.file, request), hidden)
    .get("/app/night/:id", sendPage, hidden)
    .get("/app/memory", sendPage, hidden)
    .get("/app/queue", sendPage, hidden)
    .get("/app/sites", sendPage, hidden)
    .get("/app/security", sendPage, hidden)
    .get("/app/tokens", sendPage, hidden)
    .get("/app/sites/:name", sendPage, hidden);
};
