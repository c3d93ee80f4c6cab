import type { Gauge } from "../http/metrics.ts";
import type { MemoryPorts } from "./answers/ask.ts";

/** What the memory holds, for Prometheus. */
export const memoryGauges = async ({ learnings }: Pick<MemoryPorts, "learnings">): Promise<Gauge[]> => {
  const { byType } = await learnings.summary({ scopes: "all" });
  const samples = Object.entries(byType).map(([type, value]) => ({ labels: { type }, value }));
  return [{ name: "memory_learnings", help: "learnings that count now, by type", samples }];
};
