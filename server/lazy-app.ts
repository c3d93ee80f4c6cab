import type { App, AppPorts } from "./app.ts";
import { getRequestInfo } from "./request-info.ts";
import { answerHealth, HEALTH_PATH } from "./system/health.ts";

/** The control API, of which only what says that the server is up is there from the start. */
export type LazyApp = {
  handle: (request: Request) => Promise<Response>;
  /** Loads the rest, if that has not begun. */
  load: () => Promise<void>;
};

/**
 * Loading and wiring the routes of every feature takes longer than opening the database, and who asks whether
 * the server is up needs none of them. They are loaded by the first request that does, or by `load`.
 */
export const createLazyApp = (ports: AppPorts): LazyApp => {
  let app: App | undefined;
  let loading: Promise<App> | undefined;
  const load = (): Promise<App> =>
    (loading ??= import("./app.ts").then(({ createApp }) => (app = createApp(ports))));
  return {
    handle: async (request) => {
      if (app) return app.handle(request);
      if (!isHealthCheck(request)) return (await load()).handle(request);
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
