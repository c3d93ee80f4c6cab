import type { Overview } from "../../../night/overview.ts";
import type { CommandView } from "../../../night/schemas.ts";
import type { EventView, RunView } from "../../../night/views.ts";
import type { PublishedView } from "../../../publishing/published-by.ts";
import { call } from "../api.ts";

export type { Overview };
export type Run = RunView;
export type SessionCard = Run["sessions"][number];
export type RunEvent = EventView;
export type Command = CommandView;
export type RunDetail = { run: Run; events: RunEvent[]; commands: Command[]; published: PublishedView[] };

export const runPath = (id: string): string => `/app/night/${id}`;

export const readText = async (run: string, number: number): Promise<string> =>
  (await call<{ text: string }>("GET", `/api/night/runs/${run}/events/${number}/text`)).text;

const ACTIVE = new Set(["starting", "running", "waiting", "stopping"]);
export const isActive = ({ report, isSilent }: Run): boolean => ACTIVE.has(report.status) && !isSilent;
