import { type Agent, DECLARED } from "../agent.ts";

export const command = {
  ...DECLARED,
  driver: () => import("./driver.ts").then((module) => module.commandDriver),
} satisfies Agent;
