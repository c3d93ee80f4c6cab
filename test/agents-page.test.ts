import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT_CLIS } from "./agent-clis.ts";
import { commandDriver } from "../agents/command/driver.ts";
import { PROGRAM_LINES } from "../agents/command/protocol.ts";
import type { Driver } from "../agents/driver.ts";
import { type Agent, AGENTS } from "../agents/index.ts";
import { planSteps } from "../agents/scripted/plan-steps.ts";
import { SCENARIOS, type ScenarioName, whyNot } from "./driver-conformance/scenario.ts";
import { TRAITS } from "./driver-conformance/traits.ts";
import type { TestedAgent } from "./real-agents.ts";
import { checkScript, STEP_SCHEMAS } from "../agents/scripted/script.ts";

const path = join(import.meta.dirname, "../docs/agents.md");
const page = readFileSync(path, "utf8");

const loadDrivers = async (): Promise<Driver[]> => {
  const agents: Agent[] = Object.values(AGENTS);
  const drivers: Driver[] = [];
  for (const { driver } of agents) if (driver) drivers.push(await driver());
  return drivers;
};

const registry: Readonly<Record<string, Agent>> = AGENTS;

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
    capabilities.cost,
    yes(capabilities.rateLimitReset),
    registry[id]?.testedVersions?.join(", ") ?? "",
  ]);
  const how = drivers.map(({ id, capabilities }) => [
    `\`${id}\``,
    capabilities.windowSource,
    capabilities.gentleStop,
    capabilities.exitMeaning,
  ]);
  return [
    table([
      [
        "agent",
        "what it is",
        "context",
        "closing note",
        "resume",
        "cost",
        "reset of a rate limit",
        "tested versions",
      ],
      ...can,
    ]),
    table([["agent", "its window comes from", "stopped by", "its exit code"], ...how]),
  ].join("\n\n");
};

/** `a` and `b`: why; `c`: why */
const renderReasons = (name: ScenarioName, agents: readonly TestedAgent[]): string => {
  const byReason = new Map<string, string[]>();
  for (const id of agents) {
    const why = whyNot(id, name);
    if (why !== undefined) byReason.set(why, [...(byReason.get(why) ?? []), `\`${id}\``]);
  }
  return [...byReason].map(([why, ids]) => `${ids.join(", ")}: ${why}`).join("; ");
};

const renderScenarios = (): string => {
  const agents = Object.keys(TRAITS) as TestedAgent[];
  const rows = Object.entries(SCENARIOS).map(([name, { title }]) => [
    title,
    renderReasons(name as ScenarioName, agents) || "-",
  ]);
  const tried = `Tried with ${agents.map((id) => `\`${id}\``).join(", ")}.`;
  return [tried, table([["what every agent does", "not possible"], ...rows])].join("\n\n");
};

/** The page with a part that is generated, between two comments, made again. */
const withPart = (text: string, name: string, part: string): string => {
  const [before = "", rest = ""] = text.split(new RegExp(`(?<=<!-- ${name};[^\\n]*-->\\n)`));
  return `${before}\n${part}\n\n${rest.slice(rest.indexOf(`<!-- /${name} -->`))}`;
};

test("docs/agents.md says what the drivers declare, and what the conformance suite tries", async () => {
  const declared = withPart(page, "what the drivers declare", renderCapabilities(await loadDrivers()));
  const whole = withPart(declared, "what the suite tries", renderScenarios());
  await expect(whole).toMatchFileSnapshot(path);
});

test("the versions that agents declare are those that the tests install", () => {
  for (const [id, { testedVersions }] of Object.entries(registry)) {
    const installed = Object.entries(AGENT_CLIS)
      .filter(([name]) => [`${id}-oldest`, id, `${id}-newest`].includes(name))
      .toSorted(([one], [other]) => Number(other.endsWith("-oldest")) - Number(one.endsWith("-oldest")))
      .map(([, { version }]) => version);
    expect({ id, versions: testedVersions ?? [] }).toEqual({ id, versions: installed });
  }
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

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, code = ""]) => code);

test("the program of docs/agents.md is an agent, pasted as it is", async () => {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-agents-page-"));
  const env = { PATH: process.env["PATH"] ?? "" };
  const [example = ""] = blocks("sh").filter((code) => code.includes("agent.mjs"));
  expect(execFileSync("sh", ["-c", example], { cwd: dir, env, encoding: "utf8" })).toContain(
    "WORKER MODE: try",
  );
  const session = await commandDriver.start({
    prompt: "WORKER MODE: by the page",
    dir,
    settings: { command: process.execPath, args: ["agent.mjs"], protocol: "jsonl" },
    env,
    scratchDir: dir,
  });
  const types: string[] = [];
  for await (const event of session.events) if (event.type !== "activity") types.push(event.type);
  expect(types).toEqual(["started", "text", "usage", "ended"]);
  expect(await session.askForNote({ prompt: "note", timeoutMs: 120_000 })).toBe("HANDOFF: all of it is left");
  await session.end();
  rmSync(dir, { recursive: true });
});

test("the script of docs/agents.md can be played", () => {
  const [script = ""] = blocks("json");
  const { parts } = checkScript(JSON.parse(script), "docs/agents.md");
  const steps = planSteps(parts[0]?.steps ?? [], 1);
  expect(steps).toHaveLength(16);
  expect(steps.at(-1)).toMatchObject({ do: "usage", contextTokens: 160_000 });
});
