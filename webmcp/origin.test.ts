import { expect, test } from "vitest";
import { libraryDocument } from "./fixtures/library-document.ts";
import { buildRequest, generateStaticWebMcp, generateTools } from "./index.ts";

const WRONG: unknown[] = [
  ["https://a.test"],
  "https://a.test\u0000",
  " https://a.test",
  "https://a.test\n",
  "https://a\t.test",
  { toString: () => "https://a.test" },
  new URL("https://a.test"),
  "https://user@a.test",
  "https://a.test/path",
  "https://a.test/?",
  "ftp://a.test",
  undefined,
];

test.each(WRONG)("%j is no origin, wherever one is asked for", (origin) => {
  const [tool] = generateTools(libraryDocument());
  if (!tool) throw new Error("no tool");
  expect(() => buildRequest(tool, {}, origin as string)).toThrow(TypeError);
  expect(() => generateStaticWebMcp({ openapi: "3.1.0" }, { apiOrigin: origin as string })).toThrow(
    TypeError,
  );
});

test.each(["https://a.test", "https://A.test/", "https://a.test:443"])(
  "%j is the origin of a.test",
  (origin) => {
    const [tool] = generateTools(libraryDocument());
    if (!tool) throw new Error("no tool");
    expect(new URL(buildRequest(tool, {}, origin).url).origin).toBe("https://a.test");
  },
);
