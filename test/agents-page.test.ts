import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROGRAM_LINES } from "../agents/command/protocol.ts";
import type { Driver } from "../agents/driver.ts";
import { type Agent, AGENTS } from "../agents/index.ts";
import { STEP_SCHEMAS } from "../agents/scripted/script.ts";

const path = join(import.meta.dirname, "../docs/agents.md");
const page = readFileSync(path, "utf8");

const loadDrivers = async (): Promise<Driver[]> => {
  const agents: Agent[] = Object.values(AGENTS);
  const drivers: Driver[] = [];
  for (const { driver } of agents) if (driver) drivers.push(await driver());
  return drivers;
};

const yes = (value: boolean) => (value ? "yes" : "no");

const table = (rows: string[][]): string => {
  const [head = [], ...body] = rows.map((cells) => `| ${cells.join(" | ")} |`);
  const rule = `|${"---|".repeat(rows[0]?.length ?? 0)}`;
  return [head, rule, ...body].join("\n");
};

const renderCapabilities = (drivers: Driver[]): string => {
  const can = drivers.map(({ id, title, capabilities }) => [
    `\`${id}\``,
    title,
    capabilities.liveContext,
    capabilities.closingNote,
    yes(capabilities.resume),
    yes(capabilities.cost),
    yes(capabilities.rateLimitReset),
  ]);
  const how = drivers.map(({ id, capabilities }) => [
    `\`${id}\``,
    capabilities.windowSource,
    capabilities.gentleStop,
    capabilities.exitMeaning,
  ]);
  return [
    table([
      ["agent", "what it is", "context", "closing note", "resume", "cost", "reset of a rate limit"],
      ...can,
    ]),
    table([["agent", "its window comes from", "stopped by", "its exit code"], ...how]),
  ].join("\n\n");
};

test("docs/agents.md says what the drivers declare", async () => {
  const [before = "", rest = ""] = page.split(/(?<=<!-- what the drivers declare;[^\n]*-->\n)/);
  const after = rest.slice(rest.indexOf("<!-- /what the drivers declare -->"));
  const whole = `${before}\n${renderCapabilities(await loadDrivers())}\n\n${after}`;
  await expect(whole).toMatchFileSnapshot(path);
});

test("every agent has a driver, and every driver answers to its id", async () => {
  const drivers = await loadDrivers();
  expect(drivers.map(({ id }) => id)).toEqual(Object.keys(AGENTS));
});

test("docs/agents.md explains every line of the protocol and every step of a script", () => {
  const names = [
    ...Object.keys(PROGRAM_LINES).map((type) => `{"type":"${type}"`),
    ...Object.keys(STEP_SCHEMAS),
  ];
  const missing = names.filter((name) => !page.includes(name.startsWith("{") ? name : `\`${name}\``));
  expect(missing).toEqual([]);
});
