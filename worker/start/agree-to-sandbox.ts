import { type CodeDecision, mayRun } from "../../core/config/code-decision.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import { widensSandbox } from "../../sandbox/settings.ts";

/**
 * A config that makes the sandbox wider is a person's decision, also where it is no code: an agent that may write in
 * the project could open its own door.
 * @throws AppError `config` where nobody agreed to it as it is now
 */
export const agreeToSandbox = async (
  decision: CodeDecision,
  { config, path, root }: LoadedConfig,
): Promise<void> => {
  if (path !== undefined && widensSandbox(config))
    await mayRun(decision, { root, entries: [path], isData: true });
};
