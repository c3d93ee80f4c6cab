// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("opencode-acp", {
  usage: "end of turn",
  tellsTokens: false,
  hidesRateLimit: "it tries again by itself and says nothing",
});
