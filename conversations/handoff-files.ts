import { readdirSync } from "node:fs";
import { join } from "node:path";
import { workersHome } from "../core/paths.ts";
import type { ConversationPorts } from "./ports.ts";

/** Notes of every worker, as its sessions left them. */
export const listHandoffFiles = (ports: ConversationPorts): string[] => {
  const root = workersHome({ ...ports.env, HOME: ports.home });
  const folders = (path: string) => {
    try {
      return readdirSync(path);
    } catch {
      return [];
    }
  };
  // A worker lies in the workers' home, or there in the folder of its project.
  const workers = folders(root).flatMap((one) => [
    one,
    ...folders(join(root, one)).map((two) => join(one, two)),
  ]);
  return workers.flatMap((worker) =>
    folders(join(root, worker, "handoffs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(root, worker, "handoffs", name)),
  );
};
