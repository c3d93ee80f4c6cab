import { expect, test } from "vitest";
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
