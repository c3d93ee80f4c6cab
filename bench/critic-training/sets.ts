import { readLabelled } from "../../gates/critic/score.ts";
import type { Example } from "./train.ts";

/** All that may be learned from; never the hidden half. */
export const readExamples = (): Example[] => [
  ...readLabelled("dev").map((action) => ({ ...action, tuned: true })),
  ...readLabelled("learn").map((action) => ({ ...action, tuned: false })),
];
