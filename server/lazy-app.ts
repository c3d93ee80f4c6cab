import type { App } from "./app.ts";
import { getRequestInfo } from "./http/request-info.ts";
import { answerHealth, HEALTH_PATH, type HealthPorts } from "./system/health.ts";

/** The control API, of which only what says that the server is up is there from the start. */
export type LazyApp = {
  handle: (request: Request) => Promise<Response>;
  /** Loads the rest, if that has not begun. */
  load: () => Promise<void>;
};

type Routes = Pick<App, "handle">;

/**
 * Loading and wiring the routes of every feature takes longer than opening the database, and who asks whether
 * the server is up needs none of them. They are loaded by the first request that does, or by `load`.
 */
export const createLazyApp = <Ports extends { system: HealthPorts }>(
  ports: Ports,
  loadRoutes: () => Promise<{ createApp: (ports: Ports) => Routes }>,
): LazyApp => {
  let app: Routes | undefined;
  let loading: Promise<Routes> | undefined;
  let isBroken = false;
  const load = (): Promise<Routes> =>
    (loading ??= loadRoutes()
      .then(({ createApp }) => (app = createApp(ports)))
      .catch((error: unknown) => {
        isBroken = true;
        throw error;
      }));
  return {
    handle: async (request) => {
      if (app) return app.handle(request);
      // A server whose routes cannot be loaded is not well, whatever its database says.
      if (isBroken || !isHealthCheck(request)) return (await load()).handle(request);
      getRequestInfo(request).route = HEALTH_PATH;
      const { status, body } = await answerHealth(ports.system);
      return Response.json(body, { status });
    },
    load: async () => {
      await load();
    },
  };
};

const isHealthCheck = ({ method, url }: Request): boolean =>
  method === "GET" && new URL(url).pathname === HEALTH_PATH;
