import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { withoutUndefined } from "../../../core/without-undefined.ts";
import { isLoopback, type KnownServer, readServers, writeServers } from "../../../core/credentials.ts";
import { AppError } from "../../../core/errors.ts";
import { expandHome } from "../../../core/paths.ts";
import { findServerUrl } from "../../../core/server-address.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { listing } from "../../command/table.ts";

const showServers = ({ env, reporter }: CommandIo): void => {
  const servers = readServers(env);
  const rows = Object.entries(servers).map(([origin, { tokenFile, keyFile, plainHttp }]) => [
    origin,
    tokenFile ?? "-",
    keyFile ?? "-",
    plainHttp ? "without TLS" : "",
  ]);
  reporter.answer(
    servers,
    rows.length === 0
      ? "no server but this machine's is known; add one with: nightshift login <address>"
      : listing(reporter, ["SERVER", "TOKEN", "MEMORY KEY", ""], rows),
  );
};

export const login = defineCommand({
  description:
    "A token or key goes to this machine and to the servers in ~/.nightshift/servers.json, which this command writes, and nowhere else: a project's config may name a server, but not give it your credentials. Without an address it shows the list.",
  args: [{ name: "url", description: "the server's address", isOptional: true }],
  options: {
    tokenFile: {
      type: "string",
      placeholder: "file",
      complete: "file",
      description:
        "File of the token that the server issued (default: NIGHTSHIFT_TOKEN, ~/.nightshift/admin-token)",
    },
    keyFile: {
      type: "string",
      placeholder: "file",
      complete: "file",
      description: "File of its memory key (default: MEMORY_API_KEY_FILE, ~/.memory-api-key)",
    },
    plainHttp: {
      type: "boolean",
      description: "Connect without TLS: only on a network that nobody listens on",
    },
    remove: { type: "boolean", description: "Forget it; the files stay" },
  },
  examples: [
    "nightshift login https://night.example.com --token-file ~/.nightshift/night.token --key-file ~/.nightshift/night.key",
    "nightshift login",
    "nightshift login https://night.example.com --remove",
  ],
  run: async ({ args, options }, io) => {
    const { env, cwd, reporter } = io;
    if (args.url === undefined) return showServers(io);
    const origin = findServerUrl({ url: args.url, env });
    const { [origin]: before, ...others } = readServers(env);
    if (options.remove) {
      writeServers(env, others);
      reporter.answer(
        { server: origin, removed: before !== undefined },
        before ? `${origin} is forgotten` : `${origin} was not in your list`,
      );
      return;
    }
    if (!origin.startsWith("https:") && !isLoopback(origin) && !options.plainHttp)
      throw new AppError(
        "usage",
        `${origin} has no TLS, so everybody on the way could read the token; use https, or pass --plain-http on a network that you trust`,
      );
    const fileOf = (given: string | undefined): string | undefined => {
      if (given === undefined) return undefined;
      const file = resolve(cwd, expandHome(given, env));
      if (!existsSync(file)) throw new AppError("not-found", `there is no file ${file}`);
      return file;
    };
    const tokenFile = fileOf(options.tokenFile) ?? before?.tokenFile;
    const keyFile = fileOf(options.keyFile) ?? before?.keyFile;
    const known: KnownServer = {
      ...withoutUndefined({ tokenFile, keyFile }),
      ...(options.plainHttp ? { plainHttp: true } : {}),
    };
    writeServers(env, { ...others, [origin]: known });
    reporter.answer({ server: origin, ...known }, `${origin} is known as a server of yours`);
  },
});
