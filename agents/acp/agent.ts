import { type Agent, DECLARED } from "../agent.ts";

export const acp = {
  ...DECLARED,
  driver: () => import("./driver.ts").then((module) => module.acpDriver),
} satisfies Agent;
