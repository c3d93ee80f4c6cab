import { describeConformance } from "./scenarios.ts";

describeConformance("gemini");
