#!/usr/bin/env node
import { main } from "./command/main.ts";
import { agentRecall } from "./programs/agent-recall.ts";

await main(agentRecall);
