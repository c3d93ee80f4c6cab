import { getRequestInfo } from "../http/request-info.ts";

type Asked = { request: Request; route: string };

/**
 * Options of a route that settle who asks before anything else of the request is looked at: a stranger learns
 * nothing of what a route takes, and a wrong secret counts as one whatever came with it. Elysia reads the body
 * first and validates before any handler, so a route with a body asks in both places; `check` must remember
 * what it found out about a request.
 * @param check throws when they may not
 */
export const authenticateFirst = (check: (request: Request) => Promise<unknown>) => {
  const settle = async ({ request, route }: Asked): Promise<undefined> => {
    // A refusal is counted for its route, too, which Elysia tells only now.
    getRequestInfo(request).route = route;
    await check(request);
    return undefined;
  };
  return {
    /** for a route that reads no body, or reads it itself */
    plain: { transform: settle },
    /** for a route with a JSON body */
    json: { parse: [settle, "json" as const], transform: settle },
  };
};
