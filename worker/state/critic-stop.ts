const CRITIC_STOP = "nightshift critic: STOP";

/**
 * Which rule of the critic stopped a tool call and why, without what the agent's own hook machinery puts before it;
 * undefined for a call that did not fail because of the critic.
 */
export const criticStopOf = ({
  isError,
  reason,
}: {
  isError?: unknown;
  reason?: unknown;
}): string | undefined =>
  isError === true && typeof reason === "string" && reason.includes(CRITIC_STOP)
    ? reason.slice(reason.indexOf(CRITIC_STOP) + CRITIC_STOP.length).replace(/^[.:\s]+/, "")
    : undefined;
