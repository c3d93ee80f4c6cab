import { loadConfig } from "../../core/config/load-config.ts";
import { AppError } from "../../core/errors.ts";
import { listCriticFaults } from "./check-patterns.ts";
import type { CriticSettings } from "./settings.ts";

/**
 * The critic's part of a project's config, checked: own patterns with their examples, allowances, the log.
 * @throws AppError `config` with every fault of the config
 */
export const compileCriticSettings = async (root: string): Promise<CriticSettings> => {
  const { config, path } = await loadConfig(root);
  const critic = config.critic ?? {};
  const faults = listCriticFaults(critic);
  if (faults.length > 0)
    throw new AppError(
      "config",
      `${path ?? root}: the critic section is faulty:\n${faults.map((fault) => `  ${fault.path}: ${fault.message}`).join("\n")}`,
      { faults },
    );
  const patterns = (critic.patterns ?? []).map(({ id, severity, pattern, message, suggestion }) => ({
    id,
    severity,
    pattern,
    message,
    suggestion,
  }));
  return {
    patterns,
    stopAt: critic.stopAt ?? "HIGH",
    disable: [...(critic.disable ?? [])],
    allow: [...(critic.allow ?? [])],
    log: critic.log,
  };
};
