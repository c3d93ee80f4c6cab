import type { AgentConfig } from "../../core/config/agent-config.ts";
import { VERIFY_DEFAULTS, type VerifySettings } from "../../verdict/seal/settings.ts";

/** Refusals by a reviewer before a person has to decide. */
export const DEFAULT_ROUNDS = 2;

/** How a worker's DONE is judged, as the config says now. */
export const planVerify = ({ verify, workers }: AgentConfig, worker: string): VerifySettings => ({
  ...VERIFY_DEFAULTS,
  ...verify,
  mayChange: (workers && Object.hasOwn(workers, worker) ? workers[worker]?.mayChange : undefined) ?? [],
});
