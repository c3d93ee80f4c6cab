// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("gemini-oldest", { isQuick: true });
