import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export type AgentCli =
  | "claude"
  | "codex"
  | "opencode"
  | "pi"
  | "gemini"
  | "claude-acp"
  | "claude-newest"
  | "codex-oldest"
  | "opencode-oldest"
  | "gemini-oldest"
  | "pi-newest";

/**
 * The real agent CLIs the tests run, each pinned in agent-clis.json in the oldest version that we promise and in the
 * newest that can be had. Where the newest needs a newer Node it is `…-newest`, and that Node is installed with it;
 * else the oldest is `…-oldest`. They are large (100 to 400 MB), so they are no dependency:
 * `node .ci/install-agent-clis.mjs` puts them into a cache folder, and tests that miss one name it and skip.
 */
export const AGENT_CLIS = JSON.parse(
  readFileSync(new URL("./agent-clis.json", import.meta.url), "utf8"),
) as Record<AgentCli | "node", { package: string; version: string; program: string }>;

/** The installed program of a CLI, in `NIGHTSHIFT_AGENT_CLIS` or `~/.cache/nightshift/agent-clis`. */
export const findAgentCli = (cli: AgentCli | "node"): string | undefined => {
  const { version, program } = AGENT_CLIS[cli];
  const cache =
    process.env["NIGHTSHIFT_AGENT_CLIS"] ??
    join(process.env["HOME"] ?? homedir(), ".cache/nightshift/agent-clis");
  const path = join(cache, `${cli}-${version}`, "node_modules/.bin", program);
  return existsSync(path) ? path : undefined;
};
