#!/usr/bin/env node
import { main } from "./command/main.ts";
import { steerer } from "./programs/steerer.ts";

await main(steerer);
