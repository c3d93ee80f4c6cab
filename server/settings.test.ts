import { expect, test } from "vitest";
import { openTrial } from "../test/origin-trial.ts";
import { readSettings } from "./settings.ts";

test("has a default for everything", () => {
  const settings = readSettings({});
  expect(settings).toMatchObject({
    host: "127.0.0.1",
    port: 4747,
    sitesDomain: "localhost",
    memoryPublicRead: false,
  });
  expect(settings.home).toMatch(/\/\.nightshift$/);
  expect(settings.memoryKeyFile).toMatch(/\/\.memory-api-key$/);
});

test("names every faulty variable at once", () => {
  expect(() =>
    readSettings({ PORT: "99999", LOG_LEVEL: "loud", MEMORY_PUBLIC_READ: "yes", EMBEDDINGS_URL: "nope" }),
  ).toThrow(
    /PORT must .*LOG_LEVEL must .*MEMORY_PUBLIC_READ must .*EMBEDDINGS_URL is .*EMBEDDINGS_MODEL must/,
  );
});

test("takes a database by its URL, and repeats no password when that is wrong", () => {
  expect(readSettings({}).database).toBeUndefined();
  const url = "postgres://user:secret@db.example:5432/nightshift";
  expect(readSettings({ DATABASE_URL: url, DATABASE_POOL_SIZE: "3" }).database).toEqual({
    url,
    poolSize: 3,
    statementTimeoutMs: 15_000,
    waitMs: 60_000,
  });
  for (const wrong of ["mysql://user:secret@host/db", "postgres://user:secret@host", "user:secret@host/db"])
    expect(() => readSettings({ DATABASE_URL: wrong, DATABASE_POOL_SIZE: "0" })).toThrow(
      /^(?!.*secret).*DATABASE_URL must look like postgres:.*DATABASE_POOL_SIZE must/,
    );
});

test("takes an origin-trial token for WebMCP, and no other text", () => {
  const { issue } = openTrial();
  const of = (feature: string) => issue("https://example.com:443", { expiresAt: 0, feature });
  const token = of("WebMCP");
  expect(readSettings({ WEBMCP_ORIGIN_TRIAL_TOKEN: token }).originTrialToken).toBe(token);
  for (const wrong of ["hello", of("WebVR")])
    expect(() => readSettings({ WEBMCP_ORIGIN_TRIAL_TOKEN: wrong })).toThrow(
      /WEBMCP_ORIGIN_TRIAL_TOKEN cannot be used/,
    );
});
