import { hostname } from "node:os";
import type { Environment } from "./paths.ts";

/** What this machine is called among others: `NIGHTSHIFT_HOST`, else its host name; only what fits a path. */
export const hostName = (env: Environment): string => {
  const name = (env["NIGHTSHIFT_HOST"] || hostname()).replaceAll(/[^A-Za-z0-9._-]/g, "-").slice(0, 253);
  return /^[A-Za-z0-9]/.test(name) ? name : `host${name}`.slice(0, 253);
};
