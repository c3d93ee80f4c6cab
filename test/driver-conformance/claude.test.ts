// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("claude", { isQuick: true });
