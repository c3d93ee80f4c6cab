import fc from "fast-check";
import { expect, test } from "vitest";
import { headersFor, parseHeadersFile } from "./headers-file.ts";
import { findRedirect, parseRedirectsFile } from "./redirects-file.ts";

const redirect = (rules: string, path: string, query = "") => {
  const { rules: parsed, faults } = parseRedirectsFile(rules);
  expect(faults).toEqual([]);
  const found = findRedirect(parsed, path, { query: new URLSearchParams(query), forced: false });
  return found && `${found.status} ${found.to}`;
};

test.each([
  ["/a /b", "/a", "301 /b"],
  ["/a /b 302", "/a", "302 /b"],
  ["/a/* /b/:splat", "/a/x/y", "301 /b/x/y"],
  ["/a/* /b/:splat", "/a", "301 /b/"],
  ["/* /b/:splat", "/x", "301 /b/x"],
  ["/a-* /b/:splat", "/a-x/y", "301 /b/x/y"],
  ["/:x/:y /:y/:x", "/1/2", "301 /2/1"],
  ["/* https://other.example/:splat 302", "/x y", "302 https://other.example/x%20y"],
  ["/* /:splat", "//evil.example", "301 /evil.example"],
  ["# comment\n\n/a /b # end\n/a /c", "/a", "301 /b"],
  ["/a.b /x", "/aXb", undefined],
  ["/ü /x", "/ü", "301 /x"],
])("by %j moves %j to %j", (rules, path, expected) => {
  expect(redirect(rules, path)).toBe(expected);
});

test("matches a query by name and value, and fills placeholders from it", () => {
  expect(redirect("/p id=:id lang=de /p/:id 302", "/p", "lang=de&id=a/b")).toBe("302 /p/a/b");
  expect(redirect("/p id=:id lang=de /p/:id 302", "/p", "id=7")).toBe(undefined);
});

test.each([
  ["/a", /has no target/],
  ["a /b", /must start with "\/"/],
  ["/a /b 299", /is not a status/],
  ["/a /b 200 Country=de", /condition/],
  ["https://x.example/a /b", /another host/],
  ["/a https://api.example/:splat 200", /another host/],
  ["/a //evil.example", /not a target/],
  ["/a javascript:alert(1)", /not a target/],
  ["/a/*/b /c", /only at the end/],
  ["/:a/:a /c", /twice/],
])("tells what is wrong with the redirect %j", (line, message) => {
  expect(parseRedirectsFile(`\n${line}`).faults).toEqual([
    { line: 2, message: expect.stringMatching(message) as string },
  ]);
});

test("reads headers by path and joins what several rules say", () => {
  const { rules, faults } = parseHeadersFile(
    "# c\n/*\n  Link: 1\n/docs/*\n  Link: 2\n  Expires: a: b\n/exact\n  Sourcemap: c\n",
  );
  expect(faults).toEqual([]);
  expect([...headersFor(rules, "/docs/x").values()]).toEqual([
    ["Link", "1, 2"],
    ["Expires", "a: b"],
  ]);
  expect([...headersFor(rules, "/exact").keys()]).toEqual(["link", "sourcemap"]);
  expect([...headersFor(rules, "/exact/more").keys()]).toEqual(["link"]);
});

test.each([
  ["Link: 1", /before any path/],
  ["/a\n  no colon", /is not "Name: value"/],
  ["/a\n  Set-Cookie: a=b", /cannot be set/],
  ["/a\n  content-length: 1", /cannot be set/],
  ["/a\n  Basic-Auth: u:p", /not supported/],
  ["/a\n  B@d: 1", /not a header name/],
  ["/a\n  Link: ü", /printable ASCII/],
  ["/a/*/b\n  Link: 1", /only at the end/],
])("tells what is wrong with the headers %j", (text, message) => {
  expect(parseHeadersFile(text).faults).toEqual([
    expect.objectContaining({ message: expect.stringMatching(message) as string }),
  ]);
});

test("reads any text without failing, and every rule it takes is safe to apply", () => {
  const word = fc.string({ unit: fc.constantFrom(...Array.from("/:*!# \n=ab.%20?htp1é")) });
  fc.assert(
    fc.property(word, word, (text, path) => {
      const redirects = parseRedirectsFile(text).rules;
      const found = findRedirect(redirects, `/${path}`, { query: new URLSearchParams(path), forced: false });
      if (found) expect(found.to).toMatch(/^(?:\/(?!\/)|https?:\/\/)/);
      headersFor(parseHeadersFile(text).rules, `/${path}`);
    }),
    { numRuns: 3000 },
  );
});
