/** Ours, and nobody's business who works for us: an agent reads what it is given, and tells it to a model. */
const SECRETS = new Set(["DATABASE_URL", "NIGHTSHIFT_TOKEN", "PGPASSWORD"]);

/**
 * What agents and gates get of our environment: no secrets of ours (a project's own tests would run on the queue's
 * database); our marks, by which they are found again.
 */
export const agentEnv = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !SECRETS.has(entry[0]),
    ),
  );
