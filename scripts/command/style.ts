/** Colours for meaning, and only on a terminal that wants them. */
export type Style = {
  bold: (text: string) => string;
  dim: (text: string) => string;
  red: (text: string) => string;
  green: (text: string) => string;
  yellow: (text: string) => string;
  cyan: (text: string) => string;
};

const code = (open: number, close: number) => (text: string) => `\u001B[${open}m${text}\u001B[${close}m`;

/** Whether to colour: FORCE_COLOR, NO_COLOR (https://no-color.org), TERM=dumb, then whether it is a terminal. */
export const wantsColor = (
  env: Readonly<Record<string, string | undefined>>,
  stream: { isTTY?: boolean | undefined },
): boolean => {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return env["TERM"] !== "dumb" && stream.isTTY === true;
};

/** The language's own function: one of ours is called so often that the runtime compiles it, for nothing. */
const PLAIN: Style = { bold: String, dim: String, red: String, green: String, yellow: String, cyan: String };

export const createStyle = (isOn: boolean): Style =>
  isOn
    ? {
        bold: code(1, 22),
        dim: code(2, 22),
        red: code(31, 39),
        green: code(32, 39),
        yellow: code(33, 39),
        cyan: code(36, 39),
      }
    : PLAIN;
