import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { AgentSettings, Driver } from "../agents/driver.ts";
import { type Agent, type AgentId, AGENTS } from "../agents/index.ts";
import { type AgentCli, findAgentCli } from "./agent-clis.ts";
import { startShelleyApi } from "./shelley-api/server.ts";

/** Where an agent under test lives: a throw-away home, and the scripted model it is pointed at. */
export type AgentPlace = { home: string; modelUrl: string; windowTokens: number };

/** The CLIs, some of them in another way of speaking to them, too, and the double of Shelley's HTTP API. */
export type TestedAgent = AgentCli | "codex-exec" | "gemini-acp" | "opencode-acp" | "shelley";

type Prepared = { env: Record<string, string>; settings: AgentSettings; close?: () => void };

/** For the models of the tests that no list has a price of. */
const price = { input: 1.25, cacheRead: 0.125, cacheWrite: 1.25, output: 10 };
const PRICES = { "gpt-5.1-codex": price, "gemini-2.5-pro": price };

/** How one agent is pointed at the scripted model. */
type AgentSetup = {
  /** writes what the agent wants to find in its home; says with which environment and model it runs */
  setUp: (place: AgentPlace) => Prepared | Promise<Prepared>;
  /** the installed program, where it is not the agent's own name */
  cli?: AgentCli;
  /** its driver, where it is not the agent's own */
  driver?: AgentId;
};

/** With the Node that `.ci/install-agent-clis.mjs` installs for agents that need a newer one than ours. */
const onNewerNode = ({ env, ...rest }: Prepared): Prepared => {
  const node = findAgentCli("node");
  return node === undefined
    ? { env, ...rest }
    : { ...rest, env: { ...env, PATH: [dirname(node), process.env["PATH"]].join(delimiter) } };
};

const SETUPS: Record<TestedAgent, AgentSetup> = {
  claude: {
    setUp: ({ modelUrl, windowTokens }) => ({
      env: {
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: "dummy",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_MAX_RETRIES: "0",
        IS_SANDBOX: "1", // containers run the tests as root, which it refuses without this
      },
      settings: { model: windowTokens === 1_000_000 ? "claude-opus-4-8[1m]" : "claude-sonnet-4-5" },
    }),
  },
  codex: {
    setUp: ({ home, modelUrl, windowTokens }) => {
      mkdirSync(join(home, ".codex"));
      // Codex gives out 95 % of the window it is told.
      const config = [
        'model_provider = "scripted"',
        `model_context_window = ${Math.ceil(windowTokens / 0.95)}`,
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
      ];
      writeFileSync(join(home, ".codex/config.toml"), `${config.join("\n")}\n`);
      return { env: { OPENAI_API_KEY: "dummy" }, settings: { model: "gpt-5.1-codex", prices: PRICES } };
    },
  },
  "codex-exec": {
    cli: "codex",
    driver: "codex",
    setUp: async (place) => {
      const { env, settings } = await SETUPS.codex.setUp(place);
      return { env, settings: { ...settings, protocol: "exec" } };
    },
  },
  opencode: {
    setUp: ({ home, modelUrl, windowTokens }) => {
      const cost = { input: 1, output: 2, cache_read: 0.1, cache_write: 1 };
      const model = { name: "m", limit: { context: windowTokens, output: 8_000 }, cost };
      const options = { baseURL: `${modelUrl}/v1`, apiKey: "dummy" };
      const provider = { npm: "@ai-sdk/openai-compatible", name: "scripted", options, models: { m: model } };
      const config = join(home, ".config/opencode");
      mkdirSync(join(config, "node_modules"), { recursive: true });
      const put = (name: string, content: object) =>
        writeFileSync(join(config, name), JSON.stringify(content));
      put("opencode.json", { autoupdate: false, share: "disabled", provider: { scripted: provider } });
      // It installs this from the registry at each start, unless it is there.
      const dependencies = { "@opencode-ai/plugin": "*" };
      put("package.json", { dependencies });
      put("package-lock.json", { packages: { "": { dependencies } } });
      return {
        env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" },
        settings: { model: "scripted/m" },
      };
    },
  },
  gemini: {
    setUp: ({ home, modelUrl, windowTokens }) => {
      mkdirSync(join(home, ".gemini"));
      const auth = { selectedType: "gemini-api-key" };
      const quiet = { telemetry: { enabled: false }, privacy: { usageStatisticsEnabled: false } };
      writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify({ security: { auth }, ...quiet }));
      return {
        env: { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: "dummy" },
        // Its own models all have a window of a million, which no server can tell it otherwise.
        settings: { model: "gemini-2.5-pro", contextWindow: windowTokens, prices: PRICES },
      };
    },
  },
  pi: {
    setUp: ({ home, modelUrl, windowTokens }) => {
      const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };
      const model = {
        id: "m",
        name: "m",
        input: ["text"],
        contextWindow: windowTokens,
        maxTokens: 8_000,
        cost,
      };
      const provider = { baseUrl: `${modelUrl}/v1`, api: "openai-completions", apiKey: "dummy" };
      mkdirSync(join(home, ".pi/agent"), { recursive: true });
      writeFileSync(
        join(home, ".pi/agent/models.json"),
        JSON.stringify({ providers: { scripted: { ...provider, models: [model] } } }),
      );
      writeFileSync(
        join(home, ".pi/agent/settings.json"),
        JSON.stringify({ retry: { enabled: false, provider: { maxRetries: 0 } } }),
      );
      return { env: { PI_OFFLINE: "1" }, settings: { model: "scripted/m" } };
    },
  },
  "claude-acp": {
    driver: "acp",
    setUp: async (place) => {
      const { env, settings } = await SETUPS.claude.setUp(place);
      // Its own list of models has no versions in it; Claude Code takes the name from the environment.
      const model = { ANTHROPIC_MODEL: settings.model ?? "" };
      const claude = findAgentCli("claude");
      const program = claude === undefined ? {} : { CLAUDE_CODE_EXECUTABLE: claude };
      return { env: { ...env, ...model, ...program }, settings: {} };
    },
  },
  "claude-newest": {
    driver: "claude",
    setUp: async (place) => onNewerNode(await SETUPS.claude.setUp(place)),
  },
  "pi-newest": {
    driver: "pi",
    setUp: async (place) => onNewerNode(await SETUPS.pi.setUp(place)),
  },
  "codex-oldest": { driver: "codex", setUp: (place) => SETUPS.codex.setUp(place) },
  "opencode-oldest": { driver: "opencode", setUp: (place) => SETUPS.opencode.setUp(place) },
  "gemini-oldest": { driver: "gemini", setUp: (place) => SETUPS.gemini.setUp(place) },
  "gemini-acp": {
    cli: "gemini",
    driver: "acp",
    setUp: async (place) => {
      const { env, settings } = await SETUPS.gemini.setUp(place);
      return {
        env: { ...env, GEMINI_CLI_TRUST_WORKSPACE: "true" },
        settings: { ...settings, args: ["--experimental-acp"] },
      };
    },
  },
  "opencode-acp": {
    cli: "opencode",
    driver: "acp",
    setUp: async (place) => {
      const { env, settings } = await SETUPS.opencode.setUp(place);
      return { env, settings: { ...settings, args: ["acp"] } };
    },
  },
  shelley: {
    setUp: async ({ modelUrl, windowTokens }) => {
      const { url, close } = await startShelleyApi({ modelUrl, windowTokens });
      return { env: {}, settings: { url }, close };
    },
  },
};

/** A real agent ready to run against a scripted model, in folders that are removed by `dispose`. */
export type RealAgent = {
  driver: Driver;
  env: Record<string, string>;
  settings: AgentSettings;
  home: string;
  dispose: () => void;
};

/** Nothing of the user's own environment reaches an agent under test. */
const cleanEnvironment = (home: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  HOME: home,
  LANG: "C.UTF-8",
  NO_COLOR: "1",
});

/** The program that a tested agent runs; undefined where it is not installed. */
export const findTestedProgram = (id: TestedAgent): string | undefined =>
  id === "shelley" ? "shelley" : findAgentCli(SETUPS[id].cli ?? (id as AgentCli));

export const setUpRealAgent = async (
  id: TestedAgent,
  {
    modelUrl,
    windowTokens = 200_000,
    home = realpathSync(mkdtempSync(join(tmpdir(), `nightshift-${id}-home-`))),
  }: { modelUrl: string; windowTokens?: number; home?: string },
): Promise<RealAgent> => {
  const command = findTestedProgram(id);
  if (command === undefined) throw new Error(`${id} is not installed`);
  mkdirSync(join(home, ".config"), { recursive: true });
  const { env, settings, close } = await SETUPS[id].setUp({ home, modelUrl, windowTokens });
  const registry: Record<string, Agent> = AGENTS;
  const driver = await registry[SETUPS[id].driver ?? id]?.driver?.();
  if (!driver) throw new Error(`${id} is not in the registry of agents/index.ts`);
  return {
    driver,
    env: { ...cleanEnvironment(home), ...env },
    settings: { command, ...(SETUPS[id].driver === undefined ? {} : { driver: driver.id }), ...settings },
    home,
    dispose: () => {
      close?.();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};
