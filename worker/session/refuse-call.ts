import type { AskedCall } from "../../agents/driver.ts";
import { errorText } from "../../core/errors.ts";
import { nightshiftHome } from "../../core/paths.ts";
import { readHookInput } from "../../gates/critic/hook.ts";
import { judgeAction } from "../../gates/critic/judge-action.ts";
import { describeForAgent } from "../../gates/critic/report.ts";
import { BUILT_IN_ONLY, loadCriticSettings } from "../../gates/critic/settings.ts";

type Ports = { env: Readonly<Record<string, string>>; now: () => number; log: (line: string) => void };

/**
 * The critic for agents that ask leave before a tool call: the rules of its hook, read once, before the agent
 * could change the project's config. A config that cannot be used leaves the built-in rules, and that is logged.
 */
export const criticOfCalls = async ({ env, now, log }: Ports, dir: string) => {
  const settings = await loadCriticSettings({ cwd: dir, env, userFolder: nightshiftHome(env) }).catch(
    (error: unknown) => {
      log(`critic: only the built-in rules are applied, because ${errorText(error)}`);
      return BUILT_IN_ONLY;
    },
  );
  return async ({ tool, input }: AskedCall): Promise<string | undefined> => {
    const asked = readHookInput(JSON.stringify({ tool_name: tool, tool_input: input }));
    if (asked === undefined) return "what was asked for could not be read, so nothing was judged";
    const action = { ...asked, dir, home: env["HOME"] ?? "/root", now: now() };
    const judgement = await judgeAction(action, settings);
    return judgement.verdict === "STOP" ? describeForAgent(judgement) : undefined;
  };
};
