import { expect, test } from "vitest";
import { createWebMcpCompanion } from "./companion.ts";
import { answer, call, companionWith, origin } from "./fixtures/companion.ts";
import { libraryDocument } from "./fixtures/library-document.ts";

type Manifest = { tools: { name: string; inputSchema: { properties: object } }[] };

const readManifest = async (response: Response | undefined): Promise<Manifest> =>
  JSON.parse((await response?.text()) ?? "") as Manifest;

test("serves the page with the bootstrap, the manifest and the bootstrap itself", async () => {
  const { handle } = companionWith();
  for (const path of ["/__companion", "/__companion/"]) {
    const page = await handle(new Request(origin + path));
    expect(await page?.text()).toBe(
      '<head><script type="module" src="/__companion/bootstrap.js"></script><p>page',
    );
  }
  const manifest = await handle(new Request(`${origin}/__companion/manifest`));
  expect(manifest?.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const { tools } = await readManifest(manifest);
  expect(tools.map((tool) => tool.name)).toEqual(["listBooks", "addBook", "getBook", "removeBook"]);
  expect(tools.every((tool) => !("operation" in tool))).toBe(true);
  const bootstrap = await handle(new Request(`${origin}/__companion/bootstrap.js`));
  expect(bootstrap?.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(bootstrap?.headers.get("cache-control")).toBe("no-store");
});

test("browsers are given the portable keywords, with the rest said in words", async () => {
  const { handle } = companionWith();
  const manifest = await handle(new Request(`${origin}/__companion/manifest`));
  const { tools } = await readManifest(manifest);
  expect(tools.find(({ name }) => name === "addBook")?.inputSchema.properties).toMatchObject({
    body: { properties: { tags: { description: "(at most 100 items, no repeats)" } } },
  });
  expect(JSON.stringify(tools)).not.toMatch(/maxItems|uniqueItems|"title":"How many"/);
});

test("answers no path that is not its own", async () => {
  const { handle } = companionWith();
  for (const path of [
    "/",
    "/__companionx",
    "/__companion/other",
    "/__companion/constructor",
    "/x/__companion",
  ])
    expect(await handle(new Request(origin + path))).toBeUndefined();
});

test("HEAD gets the headers alone, other methods are told what to use", async () => {
  const { handle } = companionWith();
  const head = await handle(new Request(`${origin}/__companion/manifest`, { method: "HEAD" }));
  expect([head?.status, await head?.text()]).toEqual([200, ""]);
  const post = await handle(new Request(`${origin}/__companion/manifest`, { method: "POST" }));
  expect([post?.status, post?.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect((await handle(new Request(`${origin}/__companion/call/listBooks`)))?.status).toBe(405);
});

test("a valid call reaches dispatch as the request of its operation", async () => {
  const { handle, dispatched } = companionWith();
  const response = await handle(call("listBooks", '{"author":"Austen","limit":2}'));
  expect(await answer(response)).toEqual([200, { url: `${origin}/books?author=Austen&limit=2` }]);
  expect(dispatched.map(({ method }) => method)).toEqual(["GET"]);
});

test("an invalid call is answered with every fault and dispatches nothing", async () => {
  const { handle, dispatched } = companionWith();
  expect(await answer(await handle(call("listBooks", '{"limit":0,"x":1}')))).toEqual([
    400,
    {
      error: "invalid_input",
      path: "/limit",
      reason: "must be at least 1",
      errors: [
        { path: "/limit", reason: "must be at least 1" },
        { path: "/x", reason: "is not a declared property" },
      ],
    },
  ]);
  expect(dispatched).toEqual([]);
});

test("a text that would stall a backtracking engine is checked before anything is called", async () => {
  const { handle, dispatched } = companionWith();
  const author = `${"a".repeat(79)}\n`;
  expect(await answer(await handle(call("listBooks", JSON.stringify({ author }))))).toMatchObject([
    400,
    { error: "invalid_input", path: "/author", reason: "must match ^(?:.+)+$" },
  ]);
  expect(dispatched).toEqual([]);
});

test.each([
  ["[]", 400, "bad_input"],
  ["nonsense", 400, "bad_input"],
  ["null", 400, "bad_input"],
])("%s is no input", async (body, status, error) => {
  const { handle } = companionWith();
  expect(await answer(await handle(call("listBooks", body)))).toMatchObject([status, { error }]);
});

test.each(["nothing", "constructor", "%", ""])("there is no tool named %j", async (name) => {
  const { handle } = companionWith();
  expect(await answer(await handle(call(name, "{}")))).toMatchObject([404, { error: "tool_not_found" }]);
});

test.each([
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "none" }, 403],
  [{ origin: "https://evil.test" }, 403],
  [{ origin: "null" }, 403],
  [{ origin: "http://library.test" }, 403],
  [{ origin: "https://library.test:8443" }, 403],
  [{ "content-type": "text/plain" }, 415],
  [{ "content-type": "application/jsonp" }, 415],
  [{ origin, "sec-fetch-site": "same-origin" }, 200],
  [{ origin: "http://library.test", "sec-fetch-site": "same-origin" }, 200],
  [{ "content-type": "application/json; charset=utf-8" }, 200],
])("a call with %j gets %d", async (headers, status) => {
  const { handle, dispatched } = companionWith();
  const response = await handle(call("listBooks", "{}", headers));
  expect(response?.status).toBe(status);
  expect(dispatched.length).toBe(status === 200 ? 1 : 0);
});

test("an input above the bound is refused, whether its length is declared or not", async () => {
  const { handle } = companionWith({ maxInputBytes: 20 });
  expect(await answer(await handle(call("listBooks", `{"author":"${"a".repeat(20)}"}`)))).toMatchObject([
    413,
    { error: "input_too_large" },
  ]);
  let pulled = 0;
  const stalling = new ReadableStream({
    pull: async (controller) => {
      pulled += 1;
      if (pulled > 2) await new Promise(() => {});
      controller.enqueue(new Uint8Array(16));
    },
  });
  const request = new Request(`${origin}/__companion/call/listBooks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: stalling,
    duplex: "half",
  } as RequestInit);
  expect((await handle(request))?.status).toBe(413);
});

test("a change that nobody prepared is refused and dispatches nothing", async () => {
  const { handle, dispatched } = companionWith();
  expect(await answer(await handle(call("removeBook", '{"id":"7"}')))).toMatchObject([
    409,
    { error: "approval_required" },
  ]);
  expect(dispatched).toEqual([]);
});

test("a change goes to prepareWrite with its request, tool and input, never to dispatch", async () => {
  const { handle, dispatched } = companionWith({
    prepareWrite: async (request, tool, input) =>
      Response.json({ tool: tool.name, sent: await request.json(), input }, { status: 202 }),
  });
  expect(await answer(await handle(call("addBook", '{"body":{"title":"Emma"}}')))).toEqual([
    202,
    { tool: "addBook", sent: { title: "Emma" }, input: { body: { title: "Emma" } } },
  ]);
  expect(dispatched).toEqual([]);
});

test("what goes wrong behind it is not told", async () => {
  const secret = (): never => {
    throw new Error("postgres://user:secret@db");
  };
  const { handle } = companionWith({ dispatch: secret, prepareWrite: secret });
  for (const request of [call("listBooks", "{}"), call("removeBook", '{"id":"1"}')]) {
    const response = await handle(request);
    expect(response?.status).toBe(502);
    expect(await response?.text()).not.toContain("secret");
  }
});

test("an answer above the bound is refused", async () => {
  const { handle } = companionWith({ dispatch: () => new Response("x".repeat(300_000)) });
  expect(await answer(await handle(call("listBooks", "{}")))).toMatchObject([
    502,
    { error: "response_too_large" },
  ]);
});

test("an answer comes through with its status and headers, without how it was coded", async () => {
  const { handle } = companionWith({
    dispatch: () =>
      new Response("[]", {
        status: 418,
        headers: { "x-mine": "1", "content-encoding": "gzip", "content-length": "99" },
      }),
  });
  const response = await handle(call("listBooks", "{}"));
  expect([
    response?.status,
    response?.headers.get("x-mine"),
    response?.headers.get("content-encoding"),
  ]).toEqual([418, "1", null]);
  expect(await response?.text()).toBe("[]");
});

test("a document with changes needs prepareWrite, and names them", () => {
  expect(() =>
    createWebMcpCompanion({
      document: libraryDocument(),
      renderPage: () => new Response(),
      dispatch: () => new Response(),
    }),
  ).toThrow("prepareWrite is required: addBook, removeBook change data");
});

test.each([
  ["tools", "/tools"],
  ["/tools/", "/tools"],
  ["/a/b", "/a/b"],
  ["/", ""],
])("basePath %j puts the routes under %j", async (basePath, base) => {
  const { handle } = companionWith({ basePath });
  expect((await handle(new Request(`${origin}${base}/manifest`)))?.status).toBe(200);
  expect((await handle(call("listBooks", "{}", {}, base)))?.status).toBe(200);
});

test.each([
  { basePath: "/a?b" },
  { basePath: "/a/../b" },
  { basePath: "/a b" },
  { maxInputBytes: 0 },
  { maxInputBytes: 1.5 },
  { resultSelector: " " },
])("the option %j is refused", (options) => {
  expect(() => companionWith(options)).toThrow(TypeError);
});
