// @module-tag long

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, openChromium, type TestBrowser } from "../test/chromium.ts";
import { generateStaticWebMcp } from "./static-site.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

const makeCertificate = (): { key: Buffer; cert: Buffer } => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-cert-"));
  try {
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=api.library.test"].concat(
        ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")],
      ),
      { stdio: "ignore" },
    );
    return { key: readFileSync(join(folder, "key.pem")), cert: readFileSync(join(folder, "cert.pem")) };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = (server: Server): Promise<void> => new Promise((done) => server.listen(0, "127.0.0.1", done));

const documentOfApi = {
  openapi: "3.1.0",
  paths: Object.fromEntries(
    ["items/{id}", "moved", "text", "huge", "broken"].map((path) => [
      `/${path}`,
      {
        get: {
          operationId: path.replace(/\W.*/, ""),
          description: "Reads.",
          "x-webmcp-enabled": true,
          parameters: path.includes("{id}")
            ? [
                {
                  name: "id",
                  in: "path",
                  required: true,
                  schema: { type: "string", maxLength: 9, pattern: "^(?:\\w+/?)+" },
                },
                { name: "page", in: "query", schema: { type: "integer", minimum: 1 } },
              ]
            : [],
        },
      },
    ]),
  ),
};

describe.skipIf(!hasChromium || !hasOpenssl)(
  "the static bootstrap in Chromium, against an API over https",
  () => {
    const asked: { url: string; cookie: string | undefined; referer: string | undefined }[] = [];
    let api: Server;
    let site: Server;
    let browser: TestBrowser;
    let page: Page;

    beforeAll(async () => {
      api = createHttpsServer(makeCertificate(), (request, response) => {
        asked.push({
          url: request.url ?? "",
          cookie: request.headers.cookie,
          referer: request.headers.referer,
        });
        response.setHeader("access-control-allow-origin", "*");
        const json = (text: string): void =>
          void response.setHeader("content-type", "application/json").end(text);
        if (request.url === "/moved") response.writeHead(302, { location: "/items/1" }).end();
        else if (request.url === "/text") response.setHeader("content-type", "text/html").end("<p>");
        else if (request.url === "/huge") json(JSON.stringify("x".repeat(5_000_000)));
        else if (request.url === "/broken") json("{");
        else if (request.url === "/set-cookie")
          response.setHeader("set-cookie", "session=1; Secure; SameSite=None").end();
        else json(JSON.stringify({ url: request.url }));
      });
      await listen(api);
      const apiOrigin = `https://api.library.test:${portOf(api)}`;
      const files = generateStaticWebMcp(documentOfApi, { apiOrigin, maxResponseBytes: 1000 });
      const html =
        '<!doctype html><script type="module" src="/bootstrap.js"></script><pre id="webmcp-result"></pre>';
      site = createHttpServer((request, response) => {
        const script = request.url === "/bootstrap.js";
        response.setHeader("content-type", script ? "text/javascript" : "text/html");
        response.setHeader(
          "content-security-policy",
          `default-src 'none'; script-src 'self'; connect-src ${apiOrigin}`,
        );
        response.end(script ? files.bootstrap : html);
      });
      await listen(site);
      browser = await openChromium({
        webmcp: true,
        args: ["--ignore-certificate-errors", "--host-resolver-rules=MAP api.library.test 127.0.0.1"],
      });
      page = await browser.context.newPage();
      await page.goto(`${apiOrigin}/set-cookie`);
      await page.goto(`http://127.0.0.1:${portOf(site)}/page?secret`);
      await page.waitForFunction("document.modelContext.getTools().then((tools) => tools.length === 5)");
    });
    afterAll(async () => {
      await browser?.close();
      api?.close();
      site?.close();
    });

    const invoke = async (name: string, input: object): Promise<unknown> => {
      asked.length = 0;
      return page.evaluate(
        `(async () => {
        const tool = (await document.modelContext.getTools()).find(({ name }) => name === ${JSON.stringify(name)});
        return JSON.parse(await document.modelContext.executeTool(tool, ${JSON.stringify(input)}));
      })()`,
      );
    };

    test("reads the API without the visitor's cookies or where they were", async () => {
      expect(await browser.context.cookies(`https://api.library.test:${portOf(api)}`)).toHaveLength(1);
      expect(await invoke("items", { id: "a/b c", page: 2 })).toEqual({
        status: 200,
        body: { url: "/items/a%2Fb%20c?page=2" },
      });
      expect(asked).toEqual([{ url: "/items/a%2Fb%20c?page=2", cookie: undefined, referer: undefined }]);
      expect(await page.textContent("#webmcp-result")).toContain('"tool": "items"');
    });

    test.each([
      [{}, "", "must have the property id"],
      [{ id: "0123456789" }, "/id", "must have at most 9 characters"],
      [{ id: ".." }, "/id", "must not be empty, . or .. in a path"],
      [{ id: "1", page: 0 }, "/page", "must be at least 1"],
      [{ id: "1", page: "2" }, "/page", "must be of type integer"],
      [{ id: "1", toString: 1 }, "/toString", "is not a declared property"],
    ])("the input %j is refused in the page", async (input, path, reason) => {
      expect(await invoke("items", input)).toEqual({ error: "invalid_input", path, reason });
      expect(asked).toEqual([]);
    });

    test("a pattern is left to the API", async () => {
      expect(await invoke("items", { id: "-" })).toEqual({ status: 200, body: { url: "/items/-" } });
    });

    test("a redirect is not followed", async () => {
      expect(await invoke("moved", {})).toMatchObject({ error: "unreachable" });
      expect(asked.map(({ url }) => url)).toEqual(["/moved"]);
    });

    test.each([
      ["text", "response_not_json"],
      ["broken", "response_not_json"],
      ["huge", "response_too_large"],
    ])("the answer of %s is refused as %s", async (name, error) => {
      expect(await invoke(name, {})).toMatchObject({ status: 200, error });
    });
  },
);
