import { mayRun } from "../../core/config/code-decision.ts";
import { findConfigFile, findProjectRoot } from "../../core/config/find-config.ts";
import type { Environment } from "../../core/paths.ts";
import { AppError } from "../../core/errors.ts";
import { listCriticFaults } from "./check-patterns.ts";
import { DESTRUCTIVE_RULES } from "./catalogue.ts";
import type { CriticSettings } from "./critic-settings.ts";

/**
 * The critic's part of a project's config, checked: own patterns with their examples, allowances, the log.
 * @throws AppError `config` with every fault of the config, or where it is code that nobody trusted
 */
export const compileCriticSettings = async (root: string, env: Environment): Promise<CriticSettings> => {
  const decision = { by: "record", env } as const;
  const found = findConfigFile(root);
  // Asked before what reads a config is loaded: it is asked again at every action until somebody decides.
  if (found !== undefined) await mayRun(decision, { root: findProjectRoot(root), entries: [found] });
  const { loadConfig } = await import("../../core/config/load-config.ts");
  const { config, path } = await loadConfig(root, decision);
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
    disable: [
      ...new Set([
        ...(critic.disable ?? []),
        ...(critic.destructive === false ? Object.keys(DESTRUCTIVE_RULES) : []),
      ]),
    ],
    allow: [...(critic.allow ?? [])],
    log: critic.log,
  };
};
