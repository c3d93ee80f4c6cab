import { Elysia } from "elysia";
import type { ServerCompanion } from "./companion.ts";
import { BASE_PATH } from "./layout.ts";

const hidden = { detail: { hide: true } } as const;

/** The companion keeps its own routes; they are no part of the API that its tools are made from. */
export const companionRoutes = ({ answer }: ServerCompanion) =>
  new Elysia({ name: "companion" })
    .get(BASE_PATH, ({ request }) => answer(request), hidden)
    .get(`${BASE_PATH}/*`, ({ request }) => answer(request), hidden)
    .post(`${BASE_PATH}/*`, ({ request }) => answer(request), { ...hidden, parse: "none" });
