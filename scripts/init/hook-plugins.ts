const MARK = "written by: nightshift init --hooks";

/** Whether a file is one of ours, and may be replaced or taken away. */
export const isOwnPlugin = (text: string): boolean => text.includes(MARK);

/** How both ask: the critic's launcher, in the agent's protocol. Whatever goes wrong holds the action and says so. */
const ask = (agent: "opencode" | "pi"): string => `// The critic before every tool call; ${MARK}
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

const SCRIPT = join(homedir(), ".nightshift", "check.mjs");

/** Why a tool call is held; undefined lets it through. */
const findReason = (call) => {
  const options = { input: JSON.stringify(call), encoding: "utf8", timeout: 10_000 };
  const { status, stderr, error } = spawnSync("node", [SCRIPT, "--hook", "${agent}"], options);
  if (status === 0) return undefined;
  return stderr?.trim() || \`nightshift critic: held, because it did not run (\${error?.message ?? status})\`;
};
`;

export const PLUGINS = {
  opencode: `${ask("opencode")}
export const NightshiftCritic = async ({ directory }) => ({
  "tool.execute.before": async ({ tool }, { args }) => {
    const reason = findReason({ tool_name: tool, tool_input: args ?? {}, cwd: directory });
    if (reason !== undefined) throw new Error(reason);
  },
});
`,
  pi: `${ask("pi").replace("(call)", "(call: object)")}
export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    const call = { tool_name: event.toolName, tool_input: event.input ?? {}, cwd: ctx.cwd ?? process.cwd() };
    const reason = findReason(call);
    return reason === undefined ? undefined : { block: true, reason };
  });
}
`,
} as const;
