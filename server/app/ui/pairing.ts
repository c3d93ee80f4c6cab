/** Whether a name is of this machine only: a phone cannot open it. */
export const isLoopbackHost = (name: string): boolean =>
  name === "localhost" || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);

/**
 * The token in the address that a QR code holds. It is behind the `#`, so that no server and no log ever sees it, and
 * it is gone from the address at once.
 */
export const takePairing = (): string | undefined => {
  const token = /^#pair=(nightshift_[\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return token;
};
