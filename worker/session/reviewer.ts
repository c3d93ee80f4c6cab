import type { AgentSettings, Driver } from "../../agents/driver.ts";
import type { ReviewSettings } from "../../verdict/reviewer/review.ts";

/** Another agent that looks at the work of a DONE, ready to be started. */
export type Reviewer = { driver: Driver; settings: AgentSettings; review: ReviewSettings };
