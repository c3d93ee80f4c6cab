import type { Agent } from "../agent.ts";

export const command = {
  title: "A command of your own",
  program: undefined,
  credentials: undefined,
  driver: () => import("./driver.ts").then((module) => module.commandDriver),
  store: undefined,
  sources: undefined,
} satisfies Agent;
