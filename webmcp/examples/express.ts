// Run it: npx bun webmcp/examples/express.ts
import express from "express";
import document from "./openapi.json" with { type: "json" };
import { createWebMcpCompanion } from "../index.ts";
import { renderPage } from "./page.ts";

export const app = express();
app.get("/books/:id", (req, res) => void res.json({ id: req.params.id, title: "Emma" }));

// Express 5 waits for the handler's promise and takes its failure.
// oxlint-disable oxc/no-async-endpoint-handlers
// tool
const companion = createWebMcpCompanion({ document, renderPage, dispatch: (request) => fetch(request) });
const serveTools: express.RequestHandler = async (req, res, next) => {
  const { method, headers } = req as { method: string; headers: Record<string, string> };
  const url = `${req.protocol}://${req.get("host")}${req.originalUrl}`;
  const answer = await companion.handle(new Request(url, { method, headers, body: req.body || null }));
  if (answer === undefined) return next();
  res.status(answer.status).setHeaders(answer.headers);
  res.send(await answer.text());
};
app.use("/__companion", express.text({ type: "*/*" }), serveTools);
// end

if (import.meta.main) {
  const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
    console.log(server.address());
  });
}
