import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigSchema } from "../core/config/config-schema.ts";
import { renderConfigReference } from "./config-reference.ts";

test("docs/config.md says what the schema declares", async () => {
  await expect(renderConfigReference(ConfigSchema)).toMatchFileSnapshot(
    join(import.meta.dirname, "../docs/config.md"),
  );
});
