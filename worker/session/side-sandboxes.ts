import { AppError } from "../../core/errors.ts";
import type { Sandbox } from "../../sandbox/open-sandbox.ts";
import type { Confine, ConfinedPlaces } from "../../verdict/confine.ts";

/** Sandboxes beside the session's own, for what goes on in another folder: a verdict, a reviewer. */
export type SideSandboxes = {
  /** `none` where nothing holds it; without an agent: for commands alone */
  kind: (agent?: string) => string;
  /** undefined where nothing holds it; `env` is given besides what the config lets through */
  open: (
    who: { agent?: string | undefined; env: Readonly<Record<string, string>> },
    places: ConfinedPlaces,
  ) => Promise<Sandbox | undefined>;
};

/** How a verdict holds the code that it runs; undefined where the worker has no sandbox. */
export const confineWith = (
  sandboxes: SideSandboxes | undefined,
  env: Readonly<Record<string, string>>,
): Confine | undefined => {
  const kind = sandboxes?.kind() ?? "none";
  if (!sandboxes || kind === "none") return undefined;
  return {
    kind,
    open: async (places) => {
      const sandbox = await sandboxes.open({ env }, places);
      if (!sandbox) throw new AppError("unavailable", "the sandbox of the verdict is gone");
      return sandbox;
    },
  };
};
