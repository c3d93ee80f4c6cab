import { fit } from "./table.ts";

type Stream = { write: (text: string) => unknown; isTTY?: boolean | undefined; columns?: number | undefined };

/** One line that is drawn over and over on a terminal; elsewhere it says nothing. */
export type ProgressBar = {
  /** `done` of `total`, both in the same unit, with words beside it */
  show: (label: string, done: number, total: number, detail: string) => void;
  /** removes the line, so that the answer stands alone */
  clear: () => void;
};

const WIDTH = 24;
const REDRAW_MS = 50;

export const createProgressBar = (
  stream: Stream,
  { isQuiet, now }: { isQuiet: boolean; now: () => number },
): ProgressBar => {
  const isShown = stream.isTTY === true && !isQuiet;
  let lastAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    show: (label, done, total, detail) => {
      const isFull = done >= total;
      if (!isShown || (!isFull && now() - lastAt < REDRAW_MS)) return;
      lastAt = now();
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const full = Math.round(share * WIDTH);
      const bar = `${"█".repeat(full)}${"░".repeat(WIDTH - full)}`;
      const percent = `${Math.floor(share * 100)}%`.padStart(4);
      stream.write(
        `\r\u001B[2K${fit(`${label.padEnd(10)} ${bar} ${percent}  ${detail}`, (stream.columns || 80) - 1)}`,
      );
      isDrawn = true;
    },
    clear: () => {
      if (isDrawn) stream.write("\r\u001B[2K");
      isDrawn = false;
    },
  };
};
