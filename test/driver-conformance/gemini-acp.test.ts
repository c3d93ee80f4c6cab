// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("gemini-acp", {
  usage: "never",
  tellsTokens: false,
  waitsOutLimit: "it tries again by itself for minutes",
  forgetsTurn: "0.61.0 forgets a turn that was cancelled",
});
