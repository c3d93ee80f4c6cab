/** What one session may ask of the proxy. */
export type NetworkLimits = {
  maxConnections: number;
  maxHeadBytes: number;
  /** until a client has said where it wants to go */
  headMs: number;
  lookupMs: number;
  connectMs: number;
  /** a tunnel in which nothing moves either way; a model may think for a long while */
  idleMs: number;
  /** how often the bytes of open connections are written down */
  flushMs: number;
};

export const NETWORK_LIMITS: NetworkLimits = {
  maxConnections: 512,
  maxHeadBytes: 32 * 1024,
  headMs: 15_000,
  lookupMs: 15_000,
  connectMs: 15_000,
  idleMs: 30 * 60_000,
  flushMs: 1_000,
};
