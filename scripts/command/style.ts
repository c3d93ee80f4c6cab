/** Colours for meaning, and only on a terminal that wants them. */
export type Style = {
  bold: (text: string) => string;
  dim: (text: string) => string;
  red: (text: string) => string;
  green: (text: string) => string;
  yellow: (text: string) => string;
  cyan: (text: string) => string;
};

const code = (isOn: boolean, open: number, close: number) => (text: string) =>
  isOn ? `\u001B[${open}m${text}\u001B[${close}m` : text;

/** Whether to colour: FORCE_COLOR, NO_COLOR (https://no-color.org), TERM=dumb, then whether it is a terminal. */
export const wantsColor = (
  env: Readonly<Record<string, string | undefined>>,
  stream: { isTTY?: boolean | undefined },
): boolean => {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return env["TERM"] !== "dumb" && stream.isTTY === true;
};

export const createStyle = (isOn: boolean): Style => ({
  bold: code(isOn, 1, 22),
  dim: code(isOn, 2, 22),
  red: code(isOn, 31, 39),
  green: code(isOn, 32, 39),
  yellow: code(isOn, 33, 39),
  cyan: code(isOn, 36, 39),
});
