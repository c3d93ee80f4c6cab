// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("gemini-acp", { isQuick: true });
