const LOOKED = "nightshift-looked";
const SINCE = "nightshift-since";
const EVENING_HOUR = 18;
const NIGHT_MS = 6 * 3_600_000;
const RECENT_MS = 30 * 60_000;

/** The evening before this night, or this day: never one of a few hours ago. */
const lastEvening = (): string => {
  const evening = new Date();
  evening.setHours(EVENING_HOUR, 0, 0, 0);
  if (Date.now() - evening.getTime() < NIGHT_MS) evening.setDate(evening.getDate() - 1);
  return evening.toISOString();
};

/**
 * Since when this person has not looked: the last visit before this one, else last evening. Looking again within half
 * an hour is the same visit.
 */
export const lookedSince = (): string => {
  const kept = sessionStorage.getItem(SINCE);
  if (kept !== null) return kept;
  const looked = localStorage.getItem(LOOKED) ?? "";
  const ms = Date.parse(looked);
  const since = Number.isNaN(ms) || Date.now() - ms < RECENT_MS ? lastEvening() : looked;
  sessionStorage.setItem(SINCE, since);
  return since;
};

/** Remembers when the page was looked at last; returns what ends it. */
export const noteLooked = (): (() => void) => {
  const note = () => localStorage.setItem(LOOKED, new Date().toISOString());
  const onHidden = () => {
    if (document.hidden) note();
  };
  document.addEventListener("visibilitychange", onHidden);
  return () => {
    note();
    document.removeEventListener("visibilitychange", onHidden);
  };
};
