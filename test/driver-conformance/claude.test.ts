import { describeConformance } from "./scenarios.ts";

describeConformance("claude");
