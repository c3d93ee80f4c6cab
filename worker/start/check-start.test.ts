import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DEFAULT_SANDBOX } from "../../sandbox/settings.ts";
import { writeEntry } from "../ledger/write-ledger.ts";
import type { StartRequest } from "../loop/start-request.ts";
import { type StartCheck, type StartPorts, checkStart, refuseFatal } from "./check-start.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-check-"));
  execFileSync("git", ["-C", dir, "init", "--quiet"]);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const checkAll = (request: Partial<StartRequest>, ports: Partial<StartPorts> = {}): Promise<StartCheck[]> =>
  checkStart(
    {
      env: { PATH: process.env["PATH"], WORKERS_HOME: join(dir, "workers") },
      now: Date.now,
      uid: 1000,
      findCredentials: () => "KEY",
      ...ports,
    },
    {
      dir,
      agent: "scripted",
      agents: {},
      onRateLimit: "wait",
      done: { gates: true, cleanTree: true },
      gates: { root: dir, declared: { test: { command: "true" } } },
      sandbox: { ...DEFAULT_SANDBOX, mode: "none" },
      ...request,
    } as StartRequest,
  );

/** Without what is said of the sandbox, which not every machine can have. */
const check = async (request: Partial<StartRequest>, ports?: Partial<StartPorts>): Promise<StartCheck[]> =>
  (await checkAll(request, ports)).filter(({ area }) => area !== "sandbox");

test("says that sessions have all the rights of their user where no sandbox holds them", async () => {
  const [found] = await checkAll({});
  expect(found).toMatchObject({ area: "sandbox", isFatal: false });
  expect(found?.message).toContain("sessions have all your rights");
});

test("finds nothing to say where everything is there", async () => {
  expect(await check({})).toEqual([]);
});

test("a budget that is used up refuses the start: the ceiling, what is used of it, until when, and which key raises it", async () => {
  const at = new Date().toISOString();
  const entry = { v: 1, at, session: "s", worker: "other", project: "other", agent: "codex" } as const;
  writeEntry(join(dir, "workers"), at, { ...entry, costUsd: 2.5 });
  const [found] = await check({ budget: { perNightUsd: 2, perDayUsd: 100 } });
  expect(() => refuseFatal(found ? [found] : [])).toThrow(
    /^cost: budget limit of this night: 2\.50 of 2\.00 USD used by all workers, so no session may begin before .*12:00; start it then, or raise budget\.perNightUsd in agent\.config\.ts$/,
  );
  expect(await check({ budget: { perNightUsd: 3 } })).toEqual([]);
  const agents = { scripted: { budget: { perDayUsd: 1 } }, codex: { budget: { perDayUsd: 1 } } };
  expect(await check({ agents })).toEqual([]);
  const [its] = await check({ agents, agent: "codex" });
  expect(its?.message).toContain("raise agents.codex.budget.perDayUsd");
});

test("Claude Code as root is refused with the way out, unless it is told of a sandbox or asks for permissions", async () => {
  const root = { uid: 0 };
  const [found] = await check({ agent: "claude" }, root);
  expect(found).toMatchObject({ area: "root", isFatal: true });
  expect(() => refuseFatal(found ? [found] : [])).toThrow(
    /root: Claude Code refuses.*as root; run as another user, or.*agents\.claude\.env\.IS_SANDBOX to "1"/,
  );
  expect(await check({ agent: "claude", agents: { claude: { env: { IS_SANDBOX: "1" } } } }, root)).toEqual(
    [],
  );
  expect(await check({ agent: "claude", agents: { claude: { permissionMode: "default" } } }, root)).toEqual(
    [],
  );
  const own = await check({ agent: "claude", agents: { claude: { command: "/opt/wrapper" } } }, root);
  expect(own).toMatchObject([{ area: "root", isFatal: false }]);
  expect(await check({ agent: "claude" })).toEqual([]);
});

test("warns of a missing log-in, a substitute that is not there, and work that no gate checks", async () => {
  const found = await check(
    {
      agent: "codex",
      onRateLimit: "agent:pi",
      agents: { pi: { command: join(dir, "no-pi") } },
      gates: { root: dir, declared: {} },
    },
    { findCredentials: () => undefined },
  );
  expect(found.map(({ area, isFatal }) => [area, isFatal])).toEqual([
    ["log-in", false],
    ["agent", false],
    ["gates", false],
  ]);
  mkdirSync(join(dir, "gates"));
  writeFileSync(join(dir, "gates/health.sh"), "exit 0\n");
  chmodSync(join(dir, "gates/health.sh"), 0o755);
  expect(await check({ gates: { root: dir, declared: {} } })).toEqual([]);
});

test("gates that cannot be run as they are declared are refused before the night, unless nothing hangs on them", async () => {
  const gates = { root: dir, declared: { broken: {} } };
  expect(await check({ gates })).toMatchObject([
    { area: "gates", isFatal: true, message: expect.stringContaining("gates.broken checks nothing") },
  ]);
  const done = { gates: false, cleanTree: true };
  expect(await check({ gates, done })).toMatchObject([{ area: "gates", isFatal: false }]);
});

test("says plainly that the memory's key or its server is not there", async () => {
  const memory = { url: "http://127.0.0.1:9", keyFile: join(dir, "no-key") };
  const found = await check({ memory });
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^the memory's key file .*no-key is not there; the server makes it at its first start/,
    ),
    "http://127.0.0.1:9 does not answer, so sessions run without memory; start it with: nightshift serve",
  ]);
  expect(found.some(({ isFatal }) => isFatal)).toBe(false);
});
