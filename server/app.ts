import { type AnyElysia, Elysia, NotFoundError, ParseError, ValidationError } from "elysia";
import { AppError } from "../core/errors.ts";
import { appRoutes } from "./app/routes.ts";
import { authRoutes } from "./auth/routes.ts";
import { sessionRoutes } from "./auth/sessions/routes.ts";
import type { AuthPorts } from "./auth/authenticate.ts";
import type { AccessPorts } from "./auth/memory-access.ts";
import { createServerCompanion } from "./companion/companion.ts";
import type { ApprovalPorts } from "./companion/decide.ts";
import { companionRoutes } from "./companion/routes.ts";
import type { BackupPorts } from "./backup/backup.ts";
import type { FleetPorts } from "./fleet/fleet.ts";
import { fleetRoutes } from "./fleet/routes.ts";
import { backupRoutes } from "./backup/routes.ts";
import type { Log } from "../core/log.ts";
import { archiveRoutes } from "./publishing/archives/routes.ts";
import type { NightPorts } from "./night/ports.ts";
import { nightRoutes } from "./night/routes.ts";
import type { QueuePorts } from "./queue/ports.ts";
import { queueRoutes } from "./queue/routes.ts";
import { type PushPorts, pushRoutes } from "./push/routes.ts";
import type { PublishingPorts } from "./publishing/ports.ts";
import { publishingRoutes } from "./publishing/routes.ts";
import type { MemoryPorts } from "./memory/answers/ask.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { adminRoutes } from "./memory/admin/routes.ts";
import { entryRoutes } from "./memory/entries/routes.ts";
import { projectRoutes } from "./memory/project/routes.ts";
import { memoryRoutes } from "./memory/routes.ts";
import { refusalResponse } from "./http/problem.ts";
import { getRequestInfo } from "./http/request-info.ts";
import type { SecurityLog } from "./security-log/recorder.ts";
import { securityLogRoutes } from "./security-log/routes.ts";
import { type Declared, validationFailure } from "./validation-failure.ts";
import { buildOpenApi } from "./system/openapi-document.ts";
import { systemRoutes, type SystemPorts } from "./system/routes.ts";

type BasePorts = { log: Log; system: SystemPorts };

export type AppPorts = BasePorts & {
  memory: MemoryPorts;
  companion: ApprovalPorts & { originTrialToken: string | undefined };
  backup: BackupPorts;
  fleet: Omit<FleetPorts, "access">;
  night: NightPorts;
  queue: QueuePorts;
  push: PushPorts;
  auth: { tokens: AuthPorts; memory: AccessPorts };
  securityLog: SecurityLog;
  /** how the server is reached from outside, behind a proxy */
  publicUrl: string | undefined;
  publishing: {
    publishing: PublishingPorts;
    routes: Parameters<typeof publishingRoutes>[0];
  };
};

/** One error shape and what operators ask; the features are added to it. */
export const createBaseApp = ({ log, system }: BasePorts) => {
  // Elysia adds routes in place, so this is the whole app, features included: what the 405 and the OpenAPI document are made from.
  const whole: { app?: AnyElysia } = {};
  const app = new Elysia()
    .onError({ as: "global" }, ({ error, request }) => {
      const info = getRequestInfo(request);
      const known = toAppError(error, request, whole.app?.routes ?? []);
      if (known.code === "internal") log.error({ err: error, requestId: info.id }, "request failed");
      return refusalResponse(known, info);
    })
    .onTransform({ as: "global" }, ({ request, route }) => {
      getRequestInfo(request).route = route;
    })
    .onBeforeHandle({ as: "global" }, ({ request }) => {
      getRequestInfo(request).isValid = true;
    })
    .use(systemRoutes(system, () => whole.app ?? new Elysia()));
  whole.app = app;
  return app;
};

/** The control API: every feature's routes under one error shape. */
export const createApp = (ports: AppPorts) => {
  const { tokens: auth, memory: access } = ports.auth;
  const app = createBaseApp(ports)
    .use(memoryRoutes(ports.memory))
    .use(entryRoutes(ports.memory))
    .use(projectRoutes(ports.memory))
    .use(adminRoutes(ports.memory))
    .use(fleetRoutes({ ...ports.fleet, access }))
    .use(nightRoutes(ports.night, { tokens: auth, memory: access }, ports.publishing.routes.api.publishedBy))
    .use(
      queueRoutes(
        { ...ports.queue, runsOfTasks: ports.night.store.runsOfTasks },
        { tokens: auth, memory: access },
      ),
    )
    .use(pushRoutes(ports.push, { tokens: auth, memory: access }))
    .use(authRoutes(auth))
    .use(sessionRoutes(auth))
    .use(securityLogRoutes({ auth, log: ports.securityLog }))
    .use(backupRoutes({ auth, backup: ports.backup }))
    .use(publishingRoutes(ports.publishing.routes))
    .use(archiveRoutes({ auth, publishing: ports.publishing.publishing }))
    .use(appRoutes(auth));
  const companion = createServerCompanion({
    ...ports.companion,
    auth,
    memoryKey: access.mainKey,
    document: () => buildOpenApi(app, ports.system.version),
    handle: (request) => app.handle(request),
  });
  const mcp = {
    auth,
    memory: ports.memory,
    night: ports.night,
    securityLog: ports.securityLog,
    publicUrl: ports.publicUrl,
    handle: (request: Request) => app.handle(request),
  };
  return app.use(companionRoutes(companion)).use(mcpRoutes(mcp));
};

export type App = ReturnType<typeof createApp>;

type Routes = readonly { method: string; path: string; hooks?: unknown }[];

// By class, never by `code`: an error's own `code` shadows the registered one (elysia#1412).
const toAppError = (error: unknown, request: Request, routes: Routes): AppError => {
  if (error instanceof AppError) return error;
  if (error instanceof Error && error.cause instanceof AppError) return error.cause;
  if (error instanceof ValidationError) return validationFailure(error, request, declaredBy(request, routes));
  if (error instanceof ParseError)
    return new AppError("bad-data", "The request body is not valid JSON", {
      cause: error,
      faults: [{ path: "/body", message: "is not valid JSON" }],
    });
  if (error instanceof NotFoundError) return nothingHere(request, routes);
  // Elysia fails with a TypeError while it describes why `{"toString": null}` is no string, and with a RangeError
  // while it describes what is nested too deep.
  const isOfInput = error instanceof TypeError || error instanceof RangeError;
  if (isOfInput && getRequestInfo(request).isValid !== true)
    return new AppError("bad-data", "The request is not valid", { cause: error });
  return new AppError("internal", "Internal error", { cause: error });
};

const declaredBy = (request: Request, routes: Routes): Declared => {
  const { route } = getRequestInfo(request);
  const known = routes.find(({ method, path }) => method === request.method && path === route);
  return known?.hooks ?? {};
};

const nothingHere = (request: Request, routes: Routes): AppError => {
  const path = new URL(request.url).pathname;
  const methods = new Set(routes.filter((route) => fits(route.path, path)).map((route) => route.method));
  if (methods.size === 0) return new AppError("not-found", `There is no ${path} here; see /openapi`);
  const allow = [...methods].sort();
  return new AppError("usage", `${path} has no ${request.method}; it takes ${allow.join(", ")}`, {
    details: { allow },
  });
};

const fits = (pattern: string, path: string): boolean => {
  const parts = path.split("/");
  const wanted = pattern.split("/");
  return (
    wanted.every((part, at) => part === "*" || part === parts[at] || (part.startsWith(":") && !!parts[at])) &&
    (wanted.at(-1) === "*" || wanted.length === parts.length)
  );
};
