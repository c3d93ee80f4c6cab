import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentId } from "./agent-programs.ts";

type Places = { variables: readonly string[]; files: readonly string[] };

/** Where each agent's credentials are looked for. Their content is never read. */
const PLACES: Record<AgentId, Places> = {
  claude: {
    variables: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_VERTEX",
    ],
    files: [".claude/.credentials.json"],
  },
  codex: { variables: ["OPENAI_API_KEY", "CODEX_API_KEY"], files: [".codex/auth.json"] },
  opencode: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
    files: [".local/share/opencode/auth.json"],
  },
  gemini: { variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], files: [".gemini/oauth_creds.json"] },
  pi: { variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"], files: [".pi/agent/auth.json"] },
  shelley: { variables: ["ANTHROPIC_API_KEY", "FIREWORKS_API_KEY"], files: [".config/shelley/shelley.json"] },
};

/** The name of the variable or file that holds an agent's credentials; undefined when there is none. */
export const findCredentials = (
  agent: AgentId,
  { env, home }: { env: Readonly<Record<string, string | undefined>>; home: string },
): string | undefined => {
  const { variables, files } = PLACES[agent];
  return (
    variables.find((name) => Boolean(env[name])) ??
    files.map((file) => `~/${file}`).find((file) => existsSync(join(home, file.slice(2))))
  );
};
