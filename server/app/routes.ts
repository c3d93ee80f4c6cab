import { Elysia } from "elysia";
import { createAssetResponder, pageResponse } from "./page.ts";

const hidden = { detail: { hide: true } };

/** The publisher's page. It holds no data itself: what it shows it asks the API for, with the session. */
export const appRoutes = () => {
  const sendAsset = createAssetResponder();
  return new Elysia({ name: "app" })
    .get("/", () => new Response(null, { status: 302, headers: { location: "/app" } }), hidden)
    .get("/app", () => pageResponse(), hidden)
    .get("/app/", () => pageResponse(), hidden)
    .get("/app/app.js", ({ request }) => sendAsset("app.js", request), hidden)
    .get("/app/app.css", ({ request }) => sendAsset("app.css", request), hidden)
    .get("/app/icon.svg", ({ request }) => sendAsset("icon.svg", request), hidden)
    .get("/app/tokens", () => pageResponse(), hidden)
    .get("/app/sites/:name", () => pageResponse(), hidden);
};
