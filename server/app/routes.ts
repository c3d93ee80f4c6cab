import { Elysia } from "elysia";
import type { AuthPorts } from "../auth/authenticate.ts";
import { isLocalRequest } from "../auth/local-request.ts";
import { isDeadTokenFile } from "../auth/admin-token.ts";
import { ASSETS, createAssetResponder, manifestResponse, pageResponse } from "./page.ts";

const hidden = { detail: { hide: true } };

type Ports = Pick<AuthPorts, "locality" | "adminTokenFile" | "tokens" | "now">;

/** The publisher's page. It holds no data itself: what it shows it asks the API for, with the session. */
export const appRoutes = ({ locality, adminTokenFile, tokens, now }: Ports) => {
  const sendPage = async (request: Request, status = 200): Promise<Response> => {
    const isHere = isLocalRequest(locality, request);
    return pageResponse(
      isHere
        ? { path: adminTokenFile, isDead: await isDeadTokenFile(adminTokenFile, { tokens, now }) }
        : undefined,
      status,
    );
  };
  const page = ({ request }: { request: Request }): Promise<Response> => sendPage(request);
  const sendAsset = createAssetResponder();
  return new Elysia({ name: "app" })
    .get("/", () => new Response(null, { status: 302, headers: { location: "/app" } }), hidden)
    .get("/app", page, hidden)
    .get("/app/", page, hidden)
    .get("/app/manifest.webmanifest", () => manifestResponse(), hidden)
    .get("/app/parts/:file", ({ params, request }) => sendAsset(params.file, request), hidden)
    .get("/app/night/:id", page, hidden)
    .get("/app/memory", page, hidden)
    .get("/app/queue", page, hidden)
    .get("/app/sites", page, hidden)
    .get("/app/security", page, hidden)
    .get("/app/tokens", page, hidden)
    .get("/app/sites/:name", page, hidden)
    .get(
      "/app/*",
      // What there is not is told by the page, to people; programs see the status.
      ({ params, request }) =>
        ASSETS.includes(params["*"]) ? sendAsset(params["*"], request) : sendPage(request, 404),
      hidden,
    );
};
