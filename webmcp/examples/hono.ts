// Run it: npx bun webmcp/examples/hono.ts
import { Hono } from "hono";
import document from "./openapi.json" with { type: "json" };
import { createWebMcpCompanion } from "../index.ts";
import { renderPage } from "./page.ts";

export const app = new Hono();
app.get("/books/:id", (c) => c.json({ id: c.req.param("id"), title: "Emma" }));

// tool
const companion = createWebMcpCompanion({
  document,
  renderPage,
  dispatch: (request) => app.fetch(request),
});
app.use("/__companion/*", async (c, next) => (await companion.handle(c.req.raw)) ?? next());
// end

export default { hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000), fetch: app.fetch };
