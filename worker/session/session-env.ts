import { MARKER, nestMark } from "../../core/process-tree.ts";
import type { SessionInput, SessionPorts } from "./session-ports.ts";

/** The environment of a session's agent and gates: marked, and telling its tools whose worker they work for. */
export const sessionEnv = (
  ports: Pick<SessionPorts, "env" | "settings">,
  { state, record }: Pick<SessionInput, "state" | "record">,
): Record<string, string> => ({
  ...ports.env,
  ...ownEnv(ports, { state, record }),
});

/** What a session adds to the environment. */
export const ownEnv = (
  ports: Pick<SessionPorts, "env" | "settings">,
  { state, record }: Pick<SessionInput, "state" | "record">,
): Record<string, string> => ({
  ...ports.settings.env,
  NIGHTSHIFT_WORKER: state.name,
  NIGHTSHIFT_SESSION: String(record.number),
  ...(state.run === undefined ? {} : { NIGHTSHIFT_RUN: state.run }),
  [MARKER]: nestMark(ports.env, record.mark),
});
