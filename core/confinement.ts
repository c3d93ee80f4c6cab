import type { Call } from "./limit-mark.ts";

/** Where programs are started instead of on the open machine; what that is, is none of a driver's or a gate's business. */
export type Confinement = {
  /** what to start, so that a program runs inside */
  wrap: (call: Call) => Pick<Call, "command" | "args">;
  /** the port of this machine's loopback at which a port of its own loopback is reached; the same one where they are one */
  reach: (port: number) => Promise<number>;
};
