import { type Environment } from "../../core/paths.ts";
import { findServerToken, findServerUrl } from "../../core/server-address.ts";

/** Longer than this nobody waits for a Tab. */
const LIMIT_MS = 1_000;

/** Names of the sites on this user's own server; a project's config does not say where its token is sent. */
export const listSites = async (env: Environment): Promise<string[]> => {
  try {
    const response = await fetch(`${findServerUrl({ env })}/api/sites`, {
      headers: { authorization: `Bearer ${findServerToken({ env })}` },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const { sites } = (await response.json()) as { sites: { name: string }[] };
    return sites.map(({ name }) => name);
  } catch {
    return [];
  }
};
