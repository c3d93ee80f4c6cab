#!/usr/bin/env node
import { answerQuickly } from "./commands/agent-search/answer-quickly.ts";

const exitCode = answerQuickly(process.argv.slice(2), process.env);
if (exitCode !== undefined) process.exitCode = exitCode;
else {
  const { main } = await import("./command/main.ts");
  const { agentSearch } = await import("./programs/agent-search.ts");
  await main(agentSearch);
}
