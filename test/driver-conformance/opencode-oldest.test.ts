// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("opencode-oldest", { isQuick: true });
