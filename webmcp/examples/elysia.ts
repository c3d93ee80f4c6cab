// Run it: npx bun webmcp/examples/elysia.ts
import { openapi } from "@elysiajs/openapi";
import { Elysia, t } from "elysia";
import { createWebMcpCompanion } from "../index.ts";
import { renderPage } from "./page.ts";

export const app = new Elysia()
  .use(openapi())
  .get("/books/:id", ({ params }) => ({ id: params.id, title: "Emma" }), {
    params: t.Object({ id: t.String({ maxLength: 40 }) }),
    query: t.Object({ language: t.Optional(t.UnionEnum(["en", "pt"])) }),
    detail: { operationId: "getBook", summary: "Get one book of the library", "x-webmcp-enabled": true },
  });

// tool
const companion = createWebMcpCompanion({
  document: await (await app.handle(new Request("http://localhost/openapi/json"))).json(),
  renderPage,
  dispatch: (request) => app.handle(request),
});
const answer = async ({ request }: { request: Request }) =>
  (await companion.handle(request)) ?? new Response("not found", { status: 404 });
app.get("/__companion/*", answer).post("/__companion/*", answer, { parse: "none" });
// end

if (import.meta.main) app.listen({ hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) });
