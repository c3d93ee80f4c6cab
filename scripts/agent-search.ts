#!/usr/bin/env node
import { main } from "./command/main.ts";
import { agentSearch } from "./programs/agent-search.ts";

await main(agentSearch);
