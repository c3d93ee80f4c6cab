import type { Environment } from "../../core/paths.ts";

/** One thing that was looked at; `fix` is what to type or do. */
export type Check = { area: string; status: "ok" | "warn" | "fail"; message: string; fix?: string };

export type DoctorPorts = { env: Environment; cwd: string; now: () => number };

export const ok = (area: string, message: string): Check => ({ area, status: "ok", message });
export const warn = (area: string, message: string, fix?: string): Check => ({
  area,
  status: "warn",
  message,
  ...(fix === undefined ? {} : { fix }),
});
export const fail = (area: string, message: string, fix: string): Check => ({
  area,
  status: "fail",
  message,
  fix,
});
