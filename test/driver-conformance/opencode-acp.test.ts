// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("opencode-acp", { isQuick: true });
