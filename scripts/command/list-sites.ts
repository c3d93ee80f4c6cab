import { tryServer } from "../../client/server-client.ts";
import { type Environment } from "../../core/paths.ts";
import { findServerToken, findServerUrl } from "../../core/server-address.ts";

/** Longer than this nobody waits for a Tab. */
const LIMIT_MS = 1_000;

/** Names of the sites on this user's own server; a project's config does not say where its token is sent. */
export const listSites = async (env: Environment): Promise<string[]> => {
  try {
    const token = findServerToken({ env });
    const { answer } = await tryServer(
      { url: findServerUrl({ env }), fetch, timeoutMs: LIMIT_MS, readKey: () => token },
      (client, options) => client.api.sites.get(options),
    );
    return answer?.sites.map(({ name }) => name) ?? [];
  } catch {
    return []; // nobody has made a token here
  }
};
