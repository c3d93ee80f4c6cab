#!/usr/bin/env node
import { main } from "./command/main.ts";
import { worker } from "./programs/worker.ts";

await main(worker);
