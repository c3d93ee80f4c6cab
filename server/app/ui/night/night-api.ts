import { call, type Overview, type RunDetail } from "../api.ts";

export type { Overview, RunDetail };
export type Run = RunDetail["run"];
export type SessionCard = Run["sessions"][number];
export type RunEvent = RunDetail["events"][number];
export type Command = RunDetail["commands"][number];

export const runPath = (id: string): string => `/app/night/${id}`;

export const readText = async (run: string, number: number): Promise<string> =>
  (await call(({ api }) => api.night.runs({ id: run }).events({ number }).text.get())).text;

const ACTIVE = new Set(["starting", "running", "waiting", "stopping"]);
export const isActive = ({ report, isSilent }: Run): boolean => ACTIVE.has(report.status) && !isSilent;
