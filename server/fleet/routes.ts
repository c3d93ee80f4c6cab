import { Elysia } from "elysia";
import { type Static, Type } from "../../core/schema.ts";
import { authenticateFirst } from "../auth/authenticate-first.ts";
import { authorize, type Need, requireMoreThanShared } from "../auth/memory-access.ts";
import { type Access, requireScope, SHARED_SCOPE } from "../auth/scopes.ts";
import { documented, Done } from "../http/route-docs.ts";
import { type FleetPorts, forgetWorker, listFleet, takeReport } from "./fleet.ts";
import { FleetName, FleetReport, FleetWorker, FleetWorkerName } from "./schemas.ts";

const FleetAnswer = Type.Object({ workers: Type.Array(FleetWorker) });
const params = Type.Object({ host: FleetName, worker: FleetWorkerName });

/** What the workers of all hosts are doing. The key is the memory's: every supervisor has it. */
export const fleetRoutes = (ports: FleetPorts) => {
  // Every worker of the team is in it: a key of other scopes neither looks in nor speaks for a worker.
  const allow = async (request: Request, need: Need): Promise<Access> => {
    const access = await authorize(ports.access, request, need);
    requireScope(access, SHARED_SCOPE);
    return access;
  };
  const mayWrite = authenticateFirst((request) => allow(request, "write"));
  return new Elysia({ name: "fleet", tags: ["fleet"] })
    .get(
      "/api/fleet",
      async ({ request }): Promise<Static<typeof FleetAnswer>> => {
        const access = await allow(request, "read");
        requireMoreThanShared(access);
        return { workers: await listFleet(ports) };
      },
      documented({
        summary: "Every worker of every host that reports here",
        description:
          "`isSilent` says that a worker which should be running has not been heard from for two minutes.",
        response: FleetAnswer,
        errors: ["unauthorized", "forbidden"],
      }),
    )
    .put(
      "/api/fleet/:host/:worker",
      async ({ params: { host, worker }, body, request }): Promise<Done> => {
        await allow(request, "write");
        await takeReport(ports, { host, worker, report: body });
        return { ok: true };
      },
      {
        ...mayWrite.json,
        params,
        body: FleetReport,
        ...documented({
          summary: "Says what a worker is doing; the newest report counts",
          auth: true,
          response: Done,
          errors: ["bad-data", "unauthorized", "forbidden", "too-large"],
        }),
      },
    )
    .delete(
      "/api/fleet/:host/:worker",
      async ({ params: { host, worker }, request }): Promise<Done> => {
        await allow(request, "write");
        await forgetWorker(ports, host, worker);
        return { ok: true };
      },
      {
        ...mayWrite.plain,
        params,
        ...documented({
          summary: "Forgets a worker of a host",
          auth: true,
          response: Done,
          errors: ["unauthorized", "forbidden", "not-found"],
        }),
      },
    );
};
