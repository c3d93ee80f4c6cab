export type HealthPorts = {
  version: string;
  /** Asks the database for its pulse; throws when it has none. */
  ping: () => Promise<void>;
  isStopping: () => boolean;
  uptimeSeconds: () => number;
};

export const HEALTH_PATH = "/health";

/** Whether the server and its database answer. A plain function: it also answers before any route is loaded. */
export const answerHealth = async ({
  version,
  ping,
  isStopping,
  uptimeSeconds,
}: HealthPorts): Promise<{
  status: 200 | 503;
  body: { status: string; version: string; uptimeSeconds: number };
}> => {
  const isUp = !isStopping();
  if (isUp) await ping();
  const seconds = Math.round(uptimeSeconds() * 10) / 10;
  const body = { status: isUp ? "ok" : "stopping", version, uptimeSeconds: seconds };
  return { status: isUp ? 200 : 503, body };
};
