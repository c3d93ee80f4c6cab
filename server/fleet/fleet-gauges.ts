import type { Gauge } from "../http/metrics.ts";
import { type FleetPorts, listFleet } from "./fleet.ts";
import type { FleetWorker } from "./schemas.ts";

const sumBy = (
  workers: readonly FleetWorker[],
  keyOf: (worker: FleetWorker) => string,
  valueOf: (worker: FleetWorker) => number,
): [key: string, value: number][] => {
  const sums = new Map<string, number>();
  for (const worker of workers) sums.set(keyOf(worker), (sums.get(keyOf(worker)) ?? 0) + valueOf(worker));
  return [...sums];
};

/** The workers of all hosts as they reported last, for Prometheus: by status and by agent, never by name. */
export const fleetGauges = async (ports: Pick<FleetPorts, "store" | "now">): Promise<Gauge[]> => {
  const workers = await listFleet(ports);
  const by = (label: string, sums: [string, number][]) =>
    sums.map(([key, value]) => ({ labels: { [label]: key }, value }));
  const { agent, status } = {
    agent: (worker: FleetWorker) => worker.agent,
    status: (worker: FleetWorker) => (worker.isSilent ? "silent" : worker.status),
  };
  return [
    {
      name: "workers",
      help: "workers by status; silent is one that should report and does not",
      samples: by(
        "status",
        sumBy(workers, status, () => 1),
      ),
    },
    {
      name: "workers_cost_usd",
      help: "what the runs of these workers have cost, as far as their agents say",
      samples: by(
        "agent",
        sumBy(workers, agent, ({ costUsd }) => costUsd),
      ),
    },
    {
      name: "workers_tokens",
      help: "tokens that the runs of these workers have used",
      samples: by(
        "agent",
        sumBy(workers, agent, ({ tokens }) => tokens),
      ),
    },
  ];
};
