/**
 * The page's half of the session. Browsers send the cookie, its other half, to every port of this host name;
 * what is stored here stays with this very origin, and every tab of it has it.
 */
const KEY = "nightshift-session";
const HEADER = "x-nightshift-session";

type Kept = { session: string; expiresAt: string };

const read = (): Kept | undefined => {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "") as Kept;
    return Date.parse(kept.expiresAt) > Date.now() ? kept : undefined;
  } catch {
    return undefined;
  }
};

export const keepSession = ({ session, expiresAt }: Kept): void =>
  localStorage.setItem(KEY, JSON.stringify({ session, expiresAt }));

export const forgetSession = (): void => localStorage.removeItem(KEY);

/** Whether there may be a session: without one the server need not be asked. */
export const hasSession = (): boolean => read() !== undefined;

/** The headers that make a request one of this session. */
export const sessionHeaders = (): Record<string, string> => {
  const kept = read();
  return kept ? { [HEADER]: kept.session } : {};
};
