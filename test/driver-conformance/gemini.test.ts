// @module-tag long

import { describeConformance } from "./scenarios.ts";

describeConformance("gemini", { waitsOutLimit: "it tries again by itself for minutes" });
