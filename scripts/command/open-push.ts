import { join } from "node:path";
import { tryServer } from "../../client/server-client.ts";
import { chooseCredential, readCredential } from "../../core/credentials.ts";
import { writeFileDurably } from "../../core/durable-file.ts";
import type { Environment } from "../../core/paths.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { findServerUrl } from "../../core/server-address.ts";
import { type PushAccess, SendFailure } from "../../notify/channels/channel.ts";

const TIMEOUT_MS = 3_000;

type Known = Pick<PushAccess, "publicKey" | "privateKey" | "devices">;

const readKnown = (file: string): Known | undefined => {
  try {
    return JSON.parse(readFileIfThere(file) ?? "null") ?? undefined;
  } catch {
    return undefined; // what is damaged the server says again
  }
};

/**
 * The devices that want to be told, as this user's server says. What it said last is kept in the user's own folder:
 * a knock on the door has to come when the server is down, too.
 */
export const openPush =
  ({ home, env }: { home: string; env: Environment }) =>
  async (server?: string): Promise<PushAccess> => {
    const file = join(home, "push.json");
    const url = findServerUrl({ url: server, env });
    const ask = (gone: readonly string[]) =>
      tryServer(
        {
          url,
          fetch,
          timeoutMs: TIMEOUT_MS,
          readKey: () =>
            readCredential(chooseCredential("key", { url, isTyped: false, file: undefined, env })),
        },
        (client, options) => client.api.push.send.post({ gone: [...gone] }, options),
      );
    const asked = await ask([]);
    if (asked.answer) writeFileDurably(file, JSON.stringify(asked.answer), { mode: 0o600 });
    const known = asked.answer ?? readKnown(file);
    if (!known)
      throw new SendFailure(`no device is known, and ${asked.problem ?? "the server says nothing"}`);
    return {
      ...known,
      forget: async (endpoints) => {
        const devices = known.devices.filter(({ endpoint }) => !endpoints.includes(endpoint));
        writeFileDurably(file, JSON.stringify({ ...known, devices }), { mode: 0o600 });
        await ask(endpoints);
      },
    };
  };
