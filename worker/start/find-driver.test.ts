import { expect, test } from "vitest";
import { getDriver } from "./find-driver.ts";

test("a program of the user's own is called by its name in the config, and says what drives it", async () => {
  expect((await getDriver("mine", { command: "mine-agent" })).title).toBe("mine");
  expect((await getDriver("careful", { driver: "claude" })).title).toBe("careful (Claude Code)");
  expect((await getDriver("claude", {})).title).toBe("Claude Code");
});
