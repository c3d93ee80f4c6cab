import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigSchema } from "../core/config/config-schema.ts";
import { renderConfigTypes } from "./config-types.ts";
import { renderConfigReference } from "./config-reference.ts";

test("the config's type says what the schema declares", async () => {
  await expect(renderConfigTypes(ConfigSchema)).toMatchFileSnapshot(
    join(import.meta.dirname, "../core/config/agent-config.ts"),
  );
});

test("docs/config.md says what the schema declares", async () => {
  await expect(renderConfigReference(ConfigSchema)).toMatchFileSnapshot(
    join(import.meta.dirname, "../docs/config.md"),
  );
});
