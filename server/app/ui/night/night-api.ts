import { call } from "../api.ts";

export type Report = {
  status: string;
  session: number;
  max: number;
  dir: string;
  task: string;
  agent: string;
  model?: string;
  contextPercent?: number;
  contextTokens?: number;
  costUsd: number;
  tokens: number;
  gate?: string;
  lastEvent?: string;
  reason?: string;
  startedAt: string;
  updatedAt: string;
  endedAt?: string;
};

export type SessionCard = {
  number: number;
  startedAt: string;
  endedAt?: string;
  endReason?: string;
  costUsd?: number;
  tokens?: number;
  commits: number;
};

export type Run = {
  id: string;
  host: string;
  worker: string;
  project: string;
  report: Report;
  startedAt: string;
  windowTokens?: number;
  contextLimitPercent?: number;
  budgetUsd?: number;
  waitingUntil?: string;
  waitingFor?: string;
  sessions: SessionCard[];
  curve: [number, number, number][];
  commits: number;
  files: number;
  insertions: number;
  deletions: number;
  criticStops: number;
  handoffs: number;
  gate?: { when: string; verdict: string; session: number; firstError?: string };
  verdict?: { verdict: string; reasons: string[]; acceptedBy?: string; receipt?: string };
  rescued: string[];
  reportedAt: string;
  ageSeconds: number;
  isSilent: boolean;
  need?: string;
};

export type Overview = {
  since: string;
  at: string;
  totals: { done: number; needsYou: number; running: number; costUsd: number; commits: number };
  needsYou: Run[];
  running: Run[];
  runs: Run[];
  next?: string;
  projects: string[];
  hosts: string[];
};

export type RunEvent = {
  number: number;
  at: string;
  kind: string;
  session: number;
  data: Record<string, unknown>;
  textLength: number;
};

export type Command = {
  id: string;
  action: string;
  args: Record<string, unknown>;
  askedBy: string;
  state: "sent" | "received" | "done" | "failed" | "expired";
  detail?: string;
  createdAt: string;
  receivedAt?: string;
  endedAt?: string;
};

export type RunDetail = { run: Run; events: RunEvent[]; commands: Command[] };

export const runPath = (id: string): string => `/app/night/${id}`;

export const readText = async (run: string, number: number): Promise<string> =>
  (await call<{ text: string }>("GET", `/api/night/runs/${run}/events/${number}/text`)).text;

const ACTIVE = new Set(["starting", "running", "waiting", "stopping"]);
export const isActive = ({ report, isSilent }: Run): boolean => ACTIVE.has(report.status) && !isSilent;
