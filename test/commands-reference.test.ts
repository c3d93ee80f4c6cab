import { join } from "node:path";
import { expect, test } from "vitest";
import { renderReference } from "../scripts/command/reference.ts";
import { PROGRAMS } from "../scripts/programs/index.ts";

test("docs/commands.md says what the commands declare", async () => {
  await expect(await renderReference(PROGRAMS)).toMatchFileSnapshot(
    join(import.meta.dirname, "../docs/commands.md"),
  );
});
