import { describeConformance } from "./scenarios.ts";

describeConformance("claude", { inSandbox: true, makesCallBeingWritten: true });
