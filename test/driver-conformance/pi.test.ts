// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("pi", { isQuick: true });
