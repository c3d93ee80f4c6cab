import { once } from "node:events";
import type { AgentConfig } from "../../../core/config/agent-config.ts";
import { mayRun } from "../../../core/config/code-decision.ts";
import { findProjectRoot } from "../../../core/config/find-config.ts";
import { createLog } from "../../../core/log.ts";
import { type Environment, readSettings } from "../../../server/settings.ts";
import { startServer } from "../../../server/start.ts";
import { defineCommand } from "../../command/define-command.ts";
import { askForTrust, loadTrustedConfig } from "../../command/read-config.ts";

/** What the config declares of the server and the memory, in the words of the environment. */
export const declaredEnvironment = ({ server, memory }: AgentConfig): Environment => ({
  HOST: server?.host,
  PORT: server?.port === undefined ? undefined : String(server.port),
  SITES_DOMAIN: server?.sitesDomain,
  MEMORY_PUBLIC_READ: memory?.publicRead === undefined ? undefined : String(memory.publicRead),
  MEMORY_ALIASES: Object.entries(memory?.aliases ?? {})
    .map(([word, others]) => [word, ...others].join(" "))
    .join("\n"),
  EMBEDDINGS_URL: memory?.embeddings?.url,
  EMBEDDINGS_MODEL: memory?.embeddings?.model,
});

/** Whether a config lets others reach the memory, or has its texts sent elsewhere: a cloned one may not do that unasked. */
const opensUp = ({ server, memory }: AgentConfig): boolean =>
  memory?.publicRead === true ||
  memory?.embeddings !== undefined ||
  (server?.host !== undefined && !/^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(server.host));

const withoutEmpty = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value));

export const serve = defineCommand({
  description:
    "Listens on HOST (127.0.0.1) and PORT (4747), keeps its data in NIGHTSHIFT_HOME (~/.nightshift). The config's server and memory sections count where the environment and the options say nothing.",
  options: {
    host: { type: "string", placeholder: "address", description: "Address to listen on" },
    port: {
      type: "integer",
      short: "p",
      minimum: 0,
      maximum: 65_535,
      description: "Port; 0 picks a free one",
    },
  },
  examples: ["nightshift serve", "nightshift serve --port 0 --json"],
  run: async ({ options }, io) => {
    const { env, reporter, signal } = io;
    const { config, path } = await loadTrustedConfig(io);
    if (path !== undefined && opensUp(config))
      await mayRun(
        { by: "record", env, ask: askForTrust(io) },
        { root: findProjectRoot(io.cwd), entries: [path], isData: true },
      );
    const settings = readSettings({
      ...withoutEmpty(declaredEnvironment(config)),
      ...withoutEmpty(env),
      ...withoutEmpty({ HOST: options.host, PORT: options.port?.toString() }),
    });
    const server = await startServer(settings, { log: createLog(settings.logLevel), signal });
    reporter.answer({ url: server.url, port: server.port }, `nightshift listens on ${server.url}`);
    if (!signal.aborted) await once(signal, "abort");
    await server.stop();
  },
});
