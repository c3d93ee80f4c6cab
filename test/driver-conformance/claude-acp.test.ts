// @module-tag long

import { describeConformance } from "./scenarios.ts";

// 0.100.0 calls off the first tool call after a cancelled turn ("The user cancelled this prompt") and goes on.
describeConformance("claude-acp", { tellsTokens: false, callsOff: true, refusesToolsInNote: true });
