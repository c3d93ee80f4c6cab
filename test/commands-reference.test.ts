import { join } from "node:path";
import { expect, test } from "vitest";
import { renderReference } from "./commands-reference.ts";
import { findEntry, listCommands } from "../scripts/command/find-entry.ts";
import { PROGRAMS } from "../scripts/programs/index.ts";

test("docs/commands.md says what the commands declare", async () => {
  await expect(await renderReference(PROGRAMS)).toMatchFileSnapshot(
    join(import.meta.dirname, "../docs/commands.md"),
  );
});

test("every command has an example, and every example calls its command", async () => {
  const commands = PROGRAMS.flatMap((program) => listCommands(program.name, program));
  expect(commands.length).toBeGreaterThan(60);
  for (const { name, entry } of commands)
    for (const example of (await entry.load()).examples) {
      const called = PROGRAMS.flatMap((program) =>
        [...`${example} `.matchAll(new RegExp(`(?:^|[ (])${program.name} (?<words>.*)`, "g"))].map(
          ({ groups }) => findEntry(program, (groups?.["words"] ?? "").trim().split(" ")).entry,
        ),
      );
      expect(called, `${name}: ${example}`).toContain(entry);
    }
});
