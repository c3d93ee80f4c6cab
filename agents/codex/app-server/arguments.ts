import { parseArgs } from "node:util";
import type { Json } from "../../json.ts";

const MANY = { type: "string", multiple: true } as const;
const FLAG = { type: "boolean" } as const;
const OPTIONS = {
  config: { ...MANY, short: "c" },
  enable: MANY,
  disable: MANY,
  "dangerously-bypass-hook-trust": FLAG,
  "dangerously-bypass-approvals-and-sandbox": FLAG,
} as const;

/**
 * What `agents.codex.args` means to `codex app-server`: it obeys settings and features as arguments, and takes the
 * trust in hooks with each thread. Undefined where there are other arguments, which it would not obey.
 */
export const readAppServerArguments = (
  given: readonly string[] = [],
): { args: string[]; threadConfig: Json } | undefined => {
  try {
    const { values } = parseArgs({ args: [...given], options: OPTIONS, strict: true });
    const repeated = (["config", "enable", "disable"] as const).flatMap((name) =>
      (values[name] ?? []).flatMap((value) => [`--${name}`, value]),
    );
    const threadConfig = values["dangerously-bypass-hook-trust"] ? { bypass_hook_trust: true } : {};
    return { args: ["app-server", ...repeated], threadConfig };
  } catch {
    return undefined;
  }
};
