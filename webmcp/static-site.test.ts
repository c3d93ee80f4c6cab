import { expect, test } from "vitest";
import { libraryDocument } from "./fixtures/library-document.ts";
import { generateStaticWebMcp } from "./static-site.ts";
import type { OpenApiDocument } from "./types.ts";

const reads = (): OpenApiDocument => {
  const document = libraryDocument();
  delete document.paths["/books"]?.["post"];
  delete document.paths["/books/{id}"]?.["delete"];
  return document;
};
const options = { apiOrigin: "https://api.library.test" };

test("emits a manifest of the reads and a bootstrap that calls the API", () => {
  const { manifest, bootstrap } = generateStaticWebMcp(reads(), options);
  const parsed = JSON.parse(manifest) as { apiOrigin: string; tools: { name: string }[] };
  expect(parsed.apiOrigin).toBe("https://api.library.test");
  expect(parsed.tools.map(({ name }) => name)).toEqual(["listBooks", "getBook"]);
  expect(bootstrap).toContain('credentials: "omit"');
  expect(bootstrap).not.toContain("/__companion");
});

test("the same document gives the same bytes", () => {
  expect(generateStaticWebMcp(reads(), options)).toEqual(generateStaticWebMcp(reads(), options));
});

test("a text in the document cannot end the script or change the prototype", () => {
  const document = reads();
  Object.assign(document.paths?.["/books"] ?? {}, {
    get: { operationId: "x", "x-webmcp-enabled": true, description: "</script><script>alert(1)</script>" },
  });
  expect(generateStaticWebMcp(document, options).bootstrap).not.toContain("</script>");
});

test("changes are refused, each with its operation", () => {
  expect(() => generateStaticWebMcp(libraryDocument(), options)).toThrow(
    /POST \/books at \/paths\/~1books\/post: a static site offers reads only.*\n.*DELETE \/books\/\{id\}/,
  );
});

test("what is not supported is told beside what a static site does not offer", () => {
  const document = libraryDocument();
  document.paths["/odd"] = { get: { operationId: "odd", "x-webmcp-enabled": true, parameters: 7 } };
  expect(() => generateStaticWebMcp(document, options)).toThrow(
    /GET \/odd at \/paths\/~1odd\/get\/parameters: [^]*POST \/books at/,
  );
});

test("reads that need credentials are refused, wherever the document says so", () => {
  const locked = { ...reads(), security: [{ key: [] }] };
  expect(() => generateStaticWebMcp(locked, options)).toThrow(
    /at \/security: the operation needs credentials/,
  );
  const open = { ...reads(), security: [{ key: [] }, {}] };
  expect(() => generateStaticWebMcp(open, options)).not.toThrow();
  const own = libraryDocument();
  own.paths["/books"] = {
    get: { operationId: "x", "x-webmcp-enabled": true, security: [{ key: [] }] },
  };
  delete own.paths["/books/{id}"];
  expect(() => generateStaticWebMcp(own, options)).toThrow("/paths/~1books/get/security");
});

test.each([
  "http://api.library.test",
  "https://user@api.library.test",
  "https://api.library.test/v1",
  "https://api.library.test/?a",
  "api.library.test",
  "",
])("the origin %j is refused", (apiOrigin) => {
  expect(() => generateStaticWebMcp(reads(), { apiOrigin })).toThrow(TypeError);
});

test("a bound that is no count is refused", () => {
  expect(() => generateStaticWebMcp(reads(), { ...options, maxResponseBytes: -1 })).toThrow(TypeError);
});
