import { expect, test } from "vitest";
import { openTrial } from "../test/origin-trial.ts";
import { createWebMcpCompanion, readOriginTrialToken } from "./index.ts";
import { libraryDocument } from "./fixtures/library-document.ts";

const { issue } = openTrial();
const expiresAt = Date.UTC(2027, 0, 1);
const token = issue("https://example.com:443", { expiresAt });

const companion = (originTrialToken?: string) =>
  createWebMcpCompanion({
    document: libraryDocument(),
    renderPage: () => new Response("<p>", { headers: { "content-type": "text/html" } }),
    dispatch: () => new Response(),
    prepareWrite: () => undefined,
    ...(originTrialToken === undefined ? {} : { originTrialToken }),
  });

const headerOf = async (one: ReturnType<typeof companion>, path: string) =>
  (await one.handle(new Request(`https://example.com/__companion${path}`)))?.headers.get("origin-trial");

test("reads what a token says of itself", () => {
  expect(readOriginTrialToken(token)).toEqual({
    origin: "https://example.com:443",
    feature: "WebMCP",
    expiresAt: new Date(expiresAt),
  });
});

test("the token goes out with the page, and with nothing else", async () => {
  expect(await headerOf(companion(token), "/")).toBe(token);
  expect(await headerOf(companion(token), "/manifest")).toBeNull();
  expect(await headerOf(companion(), "/")).toBeNull();
});

test.each([
  ["no token", "hello, world"],
  ["cut off", token.slice(0, -8)],
  ["too long", Buffer.concat([Buffer.from(token, "base64"), Buffer.from("x")]).toString("base64")],
  ["two headers", `${token}\r\nx-other: 1`],
  ["empty", ""],
  ["another trial", issue("https://example.com:443", { expiresAt, feature: "WebVR" })],
])("refuses a token that is of no use: %s", (_, wrong) => {
  expect(() => companion(wrong)).toThrow(TypeError);
});
