import type { Reviewer } from "../session/reviewer.ts";
import type { StartRequest } from "./start-request.ts";
import type { SupervisorPorts } from "./supervisor-ports.ts";

/** The agent that looks at another's work, where the config wants one; throws an `AppError` when it cannot be found. */
export const findReviewer = async (
  { getDriver }: Pick<SupervisorPorts, "getDriver">,
  { review, agents }: StartRequest,
): Promise<Reviewer | undefined> => {
  if (!review) return undefined;
  const settings = agents[review.agent] ?? {};
  return { review, settings, driver: await getDriver(review.agent, settings) };
};
