// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("opencode", { inSandbox: true });
