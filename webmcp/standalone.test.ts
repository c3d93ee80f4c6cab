import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { globSync } from "glob";
import { expect, test } from "vitest";
import { libraryDocument } from "./fixtures/library-document.ts";

const sources = globSync("*.ts", { cwd: import.meta.dirname }).filter((name) => !name.endsWith(".test.ts"));

const bundle = async () =>
  build({
    entryPoints: [join(import.meta.dirname, "index.ts")],
    bundle: true,
    write: false,
    metafile: true,
    platform: "neutral",
    format: "iife",
    globalName: "toolkit",
    logLevel: "silent",
  });

test("imports nothing but its own files and re2js, so that it bundles for any runtime", async () => {
  const { metafile } = await bundle();
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.length).toBeGreaterThan(20);
  expect(
    inputs.filter((path) => !/(^|\/)(webmcp\/[\w-]+\.ts|node_modules\/re2js\/build\/index\.js)$/.test(path)),
  ).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap((output) => output.imports)).toEqual([]);
});

test("runs where there is nothing but Web standards and code from text is forbidden", async () => {
  const { outputFiles } = await bundle();
  const web = { URL, URLSearchParams, Request, Response, Headers, TextEncoder, TextDecoder, crypto };
  const worker = createContext(
    { ...web, document: libraryDocument() },
    { codeGeneration: { strings: false, wasm: false } },
  );
  expect(() => runInContext('new Function("return 1")', worker)).toThrow(/Code generation from strings/);
  runInContext(outputFiles[0]?.text ?? "", worker);
  const answer: unknown = await runInContext(
    `(async () => {
      const { handle } = toolkit.createWebMcpCompanion({
        document,
        renderPage: () => new Response("<p>", { headers: { "content-type": "text/html" } }),
        dispatch: (request) => new Response(JSON.stringify({ url: request.url })),
        prepareWrite: () => undefined,
      });
      const headers = { "content-type": "application/json" };
      const call = (body) => handle(new Request("https://w.test/__companion/call/listBooks", { method: "POST", headers, body }));
      const page = await handle(new Request("https://w.test/__companion/"));
      return JSON.stringify([
        await (await call('{"author":"Austen"}')).json(),
        (await call('{"limit":"x"}')).status,
        await page.text(),
        Object.keys((await toolkit.lockTools(document)).tools).length,
      ]);
    })()`,
    worker,
  );
  expect(JSON.parse(String(answer))).toEqual([
    { url: "https://w.test/books?author=Austen" },
    400,
    '<script type="module" src="/__companion/bootstrap.js"></script><p>',
    4,
  ]);
});

test("never makes code out of text", () => {
  for (const name of sources)
    expect([
      name,
      /\beval\(|\bFunction\(|new Function/.test(readFileSync(join(import.meta.dirname, name), "utf8")),
    ]).toEqual([name, false]);
});
