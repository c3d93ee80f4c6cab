import { describeConformance } from "./scenarios.ts";

describeConformance("opencode");
