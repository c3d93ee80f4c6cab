#!/usr/bin/env node
import { main } from "./command/main.ts";
import { nightshift } from "./programs/nightshift.ts";

await main(nightshift);
