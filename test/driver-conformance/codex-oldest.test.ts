// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("codex-oldest", { isQuick: true });
