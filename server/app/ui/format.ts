const UNITS = ["B", "kB", "MB", "GB"];

export const bytesText = (bytes: number): string => {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(unit === 0 || value >= 99.95 ? 0 : 1)} ${UNITS[unit]}`;
};

/** Limits are powers of two; said as such, so that "10 MiB" is not "10.5 MB". */
export const mebibytesText = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

export const countText = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A time as people say it: "4 minutes ago", "in 30 days". */
export const timeText = (iso: string, now = Date.now()): string => {
  const seconds = (Date.parse(iso) - now) / 1000;
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  return step ? relative.format(Math.round(seconds / step[1]), step[0]) : "just now";
};

export const exactTime = (iso: string): string => new Date(iso).toLocaleString();

/** How long the rest of a transfer takes at its rate so far, to go behind other words; empty while nobody can say. */
export const restText = (done: number, total: number, tookMs: number): string => {
  if (done <= 0 || done >= total || tookMs < 2000) return "";
  const seconds = Math.ceil((tookMs / 1000) * ((total - done) / done));
  return seconds < 60 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`;
};
