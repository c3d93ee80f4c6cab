#!/usr/bin/env node
import { main } from "./command/main.ts";
import { ctx } from "./programs/ctx.ts";

await main(ctx);
