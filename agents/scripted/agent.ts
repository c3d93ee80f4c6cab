import { dirname, resolve } from "node:path";
import { type Agent, DECLARED, NO_PLACES } from "../agent.ts";

export const scripted = {
  ...DECLARED,
  sandbox: {
    hosts: [],
    variables: [],
    // Beside its script it counts its sessions, and finds the files that its steps wait for.
    places: ({ dir, settings }) => {
      const files = [settings["script"], settings["state"]].filter((file) => typeof file === "string");
      return { ...NO_PLACES, write: files.map((file) => dirname(resolve(dir, file))) };
    },
  },
  driver: () => import("./driver.ts").then((module) => module.scriptedDriver),
} satisfies Agent;
