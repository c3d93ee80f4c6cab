import type { Run } from "./night-api.ts";

export const moneyText = (usd: number): string => (usd > 0 && usd < 0.005 ? "<$0.01" : `$${usd.toFixed(2)}`);

/** What a run has cost: what its agent did not tell is unknown, never nothing. */
export const costText = ({ report: { costUsd }, sessions }: Run): string => {
  const isUnknown = sessions.some(({ isUnpriced }) => isUnpriced);
  if (costUsd > 0) return `${moneyText(costUsd)}${isUnknown ? " + unknown" : ""}`;
  return isUnknown ? "unknown" : "–";
};

export const tokensText = (tokens: number): string =>
  tokens < 1000
    ? String(tokens)
    : tokens < 999_500
      ? `${(tokens / 1000).toFixed(tokens < 9_950 ? 1 : 0)}k`
      : `${(tokens / 1_000_000).toFixed(1)}M`;

/** A span as people say it: "45 s", "17 min", "3 h 20 min". */
export const spanText = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
};

export const agoText = (seconds: number): string => (seconds < 5 ? "now" : `${spanText(seconds * 1000)} ago`);

/** What the dot's colour says, for those who see it and those who do not. */
export const toneOf = ({ report, isSilent, need }: Run): "run" | "good" | "warn" | "bad" | "quiet" => {
  if (isSilent || report.status === "failed" || report.status === "stalled") return "bad";
  if (report.status === "complete") return "good";
  if (report.status === "waiting" || need !== undefined) return "warn";
  return report.status === "running" || report.status === "starting" ? "run" : "quiet";
};

const STATUS: Readonly<Record<string, string>> = {
  "max-reached": "Out of sessions",
  complete: "Complete",
  unverified: "Unverified",
};

export const statusText = ({ report: { status }, isSilent }: Run): string =>
  isSilent ? "Silent" : (STATUS[status] ?? capitalized(status));

export const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const ENDS: Readonly<Record<string, string>> = {
  done: "said it is done",
  handoff: "handed over",
  context: "context full, handed over",
  idle: "silent for too long",
  time: "time used up",
  cost: "budget used up",
  error: "ended with an error",
  "rate-limit": "rate limit",
  stopped: "stopped by request",
};

export const endText = (reason: string | undefined): string =>
  reason === undefined ? "running" : (ENDS[reason] ?? reason);

export const clockText = (iso: string): string =>
  new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });

/** "today 06:31", "yesterday 18:00", else the date. */
export const dayText = (iso: string, now = Date.now()): string => {
  const day = (ms: number) => new Date(ms).toDateString();
  const at = Date.parse(iso);
  const name =
    day(at) === day(now)
      ? "today"
      : day(at) === day(now - 86_400_000)
        ? "yesterday"
        : new Date(at).toLocaleDateString([], { day: "numeric", month: "short" });
  return `${name} ${clockText(iso)}`;
};
