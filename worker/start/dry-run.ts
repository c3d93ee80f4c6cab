import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { readFileIfThere } from "../../core/read-file.ts";
import { createGit, readGitState } from "../../core/git.ts";
import { composePrompt } from "../session/compose-prompt.ts";
import { gatesName } from "../session/health.ts";
import { getDriver } from "./find-driver.ts";
import { previousHandoff } from "../loop/session-input.ts";
import type { StartRequest } from "../loop/start-request.ts";
import { findState } from "../state/worker-store.ts";

/** What a start would do: the prompt as far as it is known without running anything, and the command line. */
export const dryRun = async (
  { env, home }: { env: Readonly<Record<string, string | undefined>>; home: string },
  request: StartRequest,
): Promise<{
  agent: string;
  agentTitle: string;
  command: string;
  args: readonly string[];
  prompt: string;
}> => {
  const settings = request.agents[request.agent] ?? {};
  const driver = await getDriver(request.agent, settings);
  const dir = existsSync(request.dir) ? request.dir : (request.worktree?.repository ?? request.dir);
  const git = await readGitState(createGit(dir, env), dir);
  const state = request.mode === "resume" ? findState(home, request.name) : undefined;
  const number = (state?.sessions.at(-1)?.number ?? 0) + 1;
  const gates = gatesName(dir);
  const prompt = composePrompt({
    worker: request,
    session: number,
    nonce: "dry-run",
    remarks: [],
    previousHandoff: state && previousHandoff(state, number).previousHandoff,
    readHandoff: readFileIfThere,
    before: { git },
    rescue: undefined,
    memory: request.memory && `(the answer of ${request.memory.url} to one inject request goes here)`,
    past: () => request.recall && "(past conversations about the task go here, if there are any)",
    health: { name: gates, report: `(${gates} is run before the session; its verdict and report go here)` },
  });
  const { command, args } = driver.describe({
    prompt,
    dir: request.dir,
    settings,
    env: {},
    scratchDir: tmpdir(),
    ...(request.model === undefined ? {} : { model: request.model }),
  });
  return { agent: request.agent, agentTitle: driver.title, command, args, prompt };
};
