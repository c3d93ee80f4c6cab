import { AppError } from "../../core/errors.ts";
import { DEPLOYMENT_ID } from "./deployment.ts";
import type { ActivationRequest } from "./store.ts";

const readIds = (header: string): string[] =>
  header.split(",").map((part) => part.trim().replace(/^"(.*)"$/, "$1"));

/**
 * What an activation expects to be live, from `If-Match` ("these deployments", `*` = any) or
 * `If-None-Match: *` ("nothing yet"). Undefined when the publisher does not say.
 */
export const readExpectedActive = (headers: Headers): ActivationRequest["expectedActive"] => {
  const ifMatch = headers.get("if-match");
  const ifNoneMatch = headers.get("if-none-match");
  if (ifMatch !== null && ifNoneMatch !== null)
    throw new AppError("usage", "Send If-Match or If-None-Match, not both");
  if (ifNoneMatch !== null) {
    if (ifNoneMatch.trim() === "*") return [null];
    throw new AppError("usage", "If-None-Match of an activation can only be *");
  }
  if (ifMatch === null) return undefined;
  if (ifMatch.trim() === "*") return "any";
  const ids = readIds(ifMatch);
  const wrong = ids.find((id) => !DEPLOYMENT_ID.test(id));
  if (wrong !== undefined)
    throw new AppError(
      "usage",
      `If-Match must name a deployment, as in If-Match: "0123456789abcdef"; not ${wrong.slice(0, 80)}`,
    );
  return ids;
};
