// Budget: compiling a 300-operation document costs at most three times the JSON.parse of it.
// Also prints what a page downloads: the bootstrap's size, packed.
import { gzipSync } from "node:zlib";
import {
  createWebMcpCompanion,
  generateStaticWebMcp,
  generateTools,
  type OpenApiDocument,
} from "../webmcp/index.ts";
import { apiDocument } from "../webmcp/fixtures/api-document.ts";

const BUDGET = 3;
const ROUNDS = 400;

const text = JSON.stringify(apiDocument(100));

const document = JSON.parse(text) as OpenApiDocument;
const work = { parse: () => JSON.parse(text) as unknown, compile: () => generateTools(document) };
const times = { parse: [] as number[], compile: [] as number[] };
// In turn, so that the machine treats both alike.
for (let round = 0; round < ROUNDS; round += 1)
  for (const name of ["parse", "compile"] as const) {
    const start = performance.now();
    work[name]();
    times[name].push(performance.now() - start);
  }
const first = { parse: times.parse[0] ?? 0, compile: times.compile[0] ?? 0 };
const tools = generateTools(document);
// The fastest round of each is the one that the machine's other work disturbed least.
const parse = Math.min(...times.parse);
const compile = Math.min(...times.compile);
const ratio = compile / parse;
console.log(`document: ${tools.length} operations, ${(text.length / 1024).toFixed(0)} KiB`);
console.log(`JSON.parse ${parse.toFixed(2)} ms, generateTools ${compile.toFixed(2)} ms`);
console.log(`the very first time: ${first.parse.toFixed(2)} ms and ${first.compile.toFixed(2)} ms`);
console.log(`ratio ${ratio.toFixed(2)} (budget ${BUDGET})`);

const respond = (): Response => new Response();
const empty: OpenApiDocument = { openapi: "3.1.0", paths: {} };
const companion = createWebMcpCompanion({ document: empty, renderPage: respond, dispatch: respond });
const served = await companion.handle(new Request("http://localhost/__companion/bootstrap.js"));
const scripts = {
  companion: (await served?.text()) ?? "",
  static: generateStaticWebMcp(empty, { apiOrigin: "https://api.example.com" }).bootstrap,
};
for (const [kind, script] of Object.entries(scripts))
  console.log(
    `${kind} bootstrap without tools: ${script.length} bytes, gzip ${gzipSync(script, { level: 9 }).length}`,
  );
process.exitCode = ratio <= BUDGET ? 0 : 1;
