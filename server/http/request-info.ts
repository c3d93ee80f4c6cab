/** What the server knows about a request beside the request itself. */
export type RequestInfo = {
  id: string;
  /** the peer's address as the socket says it, never a header; undefined in tests that call the app directly */
  clientAddress: string | undefined;
  /** the Host header, validated: lower case, without port */
  hostname: string;
  /** the pattern of the route that answered, for logs and metrics */
  route?: string;
  /** why it was refused, for the log, where the answer says less */
  why?: string;
  /** who sent it, as logs name them, once that is known */
  principal?: string;
  /** what it was about, for the security log, where its path does not say */
  subject?: string;
  /** the page's half of a session, where a form carries it in place of the header */
  sessionProof?: string;
  /** its inputs were valid and its handler was called */
  isValid?: boolean;
};

const known = new WeakMap<Request, RequestInfo>();

export const setRequestInfo = (request: Request, info: RequestInfo): void => {
  known.set(request, info);
};

/** The information about a request that came through the server's handler. */
export const getRequestInfo = (request: Request): RequestInfo =>
  known.get(request) ?? { id: "-", clientAddress: undefined, hostname: "localhost" };

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;

/** Whether an address or bind host is of this machine only. */
export const isLoopback = (address: string): boolean => address === "localhost" || LOOPBACK.test(address);
