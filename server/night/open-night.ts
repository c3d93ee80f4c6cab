import { type Log, logFailure } from "../../core/log.ts";
import type { FleetStore } from "../fleet/store.ts";
import { createNightBus } from "./bus.ts";
import type { NightPorts } from "./ports.ts";
import type { NightStore } from "./store.ts";
import { createPace } from "./take-batch.ts";

const FORGET_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

type Inputs = {
  store: NightStore;
  fleet: FleetStore;
  /** whether other servers write to the database, too */
  isShared: boolean;
  keepDays: number;
  log: Log;
  now: () => number;
};

/** The night's ports, and what ends them. */
export const openNight = ({ store, fleet, isShared, keepDays, log, now }: Inputs) => {
  let lookedAt = now();
  const findNews = async () => {
    const since = lookedAt;
    lookedAt = now();
    const runs = (await store.listSince(since - 1_000, 1_000)).map(({ card }) => card.id);
    return { runs, hosts: await store.openHosts(now()) };
  };
  const bus = createNightBus(isShared ? findNews : undefined);
  const ports: NightPorts = { store, fleet, bus, pace: createPace(now), now };
  const forget = (): void => {
    store
      .forgetBefore(now() - keepDays * DAY_MS)
      .then((runs) => (runs > 0 ? log.info({ runs, keepDays }, "forgot old runs") : undefined))
      .catch((error: unknown) => logFailure(log, error, "old runs cannot be forgotten"));
  };
  const timer = setInterval(forget, FORGET_EVERY_MS);
  timer.unref();
  forget();
  return {
    ports,
    /** Lets everybody go who listens or waits; called before the server stops accepting. */
    release: bus.close,
    close: () => clearInterval(timer),
  };
};
