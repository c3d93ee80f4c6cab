import type { FleetStore } from "../fleet/store.ts";
import type { NightBus } from "./bus.ts";
import type { NightStore } from "./store.ts";

export type NightPorts = {
  store: NightStore;
  fleet: FleetStore;
  bus: NightBus;
  /** when a worker should report again, in milliseconds */
  pace: (who: string, isOn: boolean) => number;
  now: () => number;
};
