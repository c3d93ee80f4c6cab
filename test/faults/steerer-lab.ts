import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { systemClock } from "../../core/clock.ts";
import { type Watched, runRound } from "../../worker/steerer/round.ts";
import { type SteerEvent, openSteerLog } from "../../worker/steerer/steer-log.ts";
import { steerSettings } from "../../worker/steerer/steer-settings.ts";
import { FINISH, Night } from "./night.ts";

export const HANG: ScriptedStep[] = [
  { do: "append", file: "work.txt", text: "half\n" },
  { do: "hang", stubborn: true },
];

/** A night for each test, and the rounds of a steerer that looks after it in this process. */
export const useSteerer = () => {
  let night: Night;
  let told: SteerEvent[] = [];
  beforeEach(() => {
    night = new Night();
    // In a sandbox nothing outlives its supervisor: what a steerer ends and tidies up is there without one.
    night.sandbox = "none";
    told = [];
  });
  afterEach(() => night.dispose());

  const round = async (
    policies = {},
    memory?: { url: string; keyFile: string },
  ): Promise<readonly Watched[]> => {
    night.config = { ...night.config, steerer: { policies } };
    const settings = steerSettings({ dirs: [night.root] }, night.loaded(), {
      env: night.env,
      cwd: night.root,
    });
    const log = openSteerLog(
      { home: night.home, now: Date.now, onEvent: (event) => told.push(event) },
      { isDryRun: false },
    );
    return runRound(
      { clock: systemClock, env: night.env, fetch, home: night.home, log },
      { ...settings, memory },
    );
  };
  /** The config that a restart reads, where it is looked for. */
  const saveConfig = () => night.write("agent.config.json", JSON.stringify(night.config));
  return {
    get night() {
      return night;
    },
    get told() {
      return told;
    },
    types: () => told.map(({ type }) => type),
    round,
    saveConfig,
    startHanging: async (more: Parameters<Night["plan"]>[0]["parts"] = [{ steps: FINISH }]) => {
      const request = await night.plan({ health: "exit 0", parts: [{ steps: HANG }, ...more] });
      saveConfig();
      await night.start(request);
      await night.until("half a line", () => existsSync(join(night.root, "night/work.txt")));
    },
  };
};
