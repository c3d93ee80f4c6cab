/** What one session may ask of the proxy. */
export const NETWORK_LIMITS = {
  maxConnections: 512,
  maxHeadBytes: 32 * 1024,
  /** until a client has said where it wants to go */
  headMs: 15_000,
  lookupMs: 15_000,
  connectMs: 15_000,
  /** a tunnel in which nothing moves either way; a model may think for a long while */
  idleMs: 30 * 60_000,
  /** how often the bytes of open connections are written down */
  flushMs: 1_000,
};

export type NetworkLimits = typeof NETWORK_LIMITS;
