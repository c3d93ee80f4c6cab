import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SpawnedServer, spawnServer } from "../server/fixtures/spawn-server.ts";
import { findViolations } from "./accessibility.ts";
import { findAgentCli } from "./agent-clis.ts";
import { hasChromium, openChromium, type TestBrowser } from "./chromium.ts";
import { findFreePort } from "./free-port.ts";
import { type RealAgent, setUpRealAgent } from "./real-agents.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model/server.ts";
import { WorkerLab } from "./worker/worker-lab.ts";

// A night with the real Claude Code, watched and steered from the page alone, on a phone and on a desk.

const isInstalled = findAgentCli("claude") !== undefined;
const STEERER = resolve(import.meta.dirname, "../dist/scripts/steerer.js");
const PATIENCE = { timeout: 240_000 };
const commit = (file: string) => `echo x > ${file} && git add -A && git commit -qm 'Add ${file}'`;

describe.skipIf(!isInstalled || !hasChromium)("a worker with Claude Code on the Night page", () => {
  let lab: WorkerLab;
  let agent: RealAgent;
  let model: ScriptedModel;
  let server: SpawnedServer;
  let steerer: ChildProcess;
  let browser: TestBrowser;
  let phone: Page;
  let home = "";
  let port = 0;
  const complaints: string[] = [];

  const startServer = () => spawnServer(home, { PORT: String(port), MEMORY_API_KEY_FILE: join(home, "key") });

  beforeAll(async () => {
    lab = new WorkerLab();
    home = join(lab.folder, "server");
    port = await findFreePort();
    server = await startServer();
    model = await startScriptedModel({
      sessions: [
        {
          turns: [
            { run: commit("begun.txt"), contextTokens: 40_000, thinkMs: 150 },
            { run: commit("more.txt"), contextTokens: 152_000, thinkMs: 150 },
            { run: commit("never.txt"), contextTokens: 160_000, thinkMs: 1_500 },
          ],
          answers: [
            {
              contains: "Write the handoff",
              turns: [{ text: "HANDOFF: begun; next is fixed.txt", contextTokens: 153_000 }],
            },
          ],
        },
        {
          turns: [
            { run: commit("second.txt"), contextTokens: 30_000, thinkMs: 150 },
            { run: "echo on", contextTokens: 31_000, thinkMs: 600_000 },
          ],
        },
        {
          turns: [
            { run: commit("fixed.txt"), contextTokens: 25_000, thinkMs: 150 },
            { text: "It is there.\n\nDONE: fixed.txt added", contextTokens: 30_000 },
          ],
        },
      ],
    });
    agent = await setUpRealAgent("claude", { modelUrl: model.url, windowTokens: 200_000 });
    lab.env = {
      ...agent.env,
      WORKERS_HOME: lab.workers,
      GIT_CONFIG_GLOBAL: "/dev/null",
      MEMORY_API_KEY_FILE: join(home, "key"),
      NIGHTSHIFT_HOST: "build-1",
    };
    lab.gateOn("fixed.txt");
    lab.put(
      "agent.config.json",
      JSON.stringify({
        agents: { claude: agent.settings },
        server: { url: server.url },
        workers: {
          real: { task: "Add fixed.txt", agent: "claude", max: 4, limits: { handoffMinutes: 0.1 } },
        },
      }),
    );
    lab.commit(lab.repository, "Configure");
    steerer = spawn(process.execPath, [STEERER, "--dir", lab.repository, "--interval", "1"], {
      env: lab.env,
      cwd: lab.repository,
      stdio: "ignore",
    });
    browser = await openChromium();
    phone = await browser.context.newPage();
    await phone.setViewportSize({ width: 390, height: 844 });
    phone.on("pageerror", (error) => complaints.push(error.message));
    await phone.goto(`${server.url.replace("127.0.0.1", "localhost")}/app`);
    await phone.getByLabel("Token").fill(readFileSync(join(home, ".nightshift/admin-token"), "utf8").trim());
    await phone.keyboard.press("Enter");
    await phone.getByText("No workers yet").waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    if (steerer?.exitCode === null) {
      steerer.kill("SIGTERM");
      await once(steerer, "exit");
    }
    await lab?.dispose();
    await server?.end("SIGTERM");
    await model?.close();
    agent?.dispose();
  });

  const press = async (name: string, confirm = name) => {
    await phone.getByRole("button", { name, exact: true }).first().click();
    await phone.getByRole("dialog").getByRole("button", { name: confirm, exact: true }).click();
  };
  const expectDone = async (what: string, detail: string) =>
    phone
      .getByRole("listitem")
      .filter({ hasText: new RegExp(`^${what}Done`) })
      .filter({ hasText: detail })
      .first()
      .waitFor(PATIENCE);

  test("is seen as soon as it works, and followed through its first session", async () => {
    expect(await lab.worker("start", "real")).toMatchObject({ code: 0 });
    await phone.getByRole("link", { name: "real" }).first().click(PATIENCE);
    await phone.getByRole("heading", { name: "real", level: 1 }).waitFor();
    await phone.getByText("context full, handed over", { exact: true }).waitFor(PATIENCE);
    await phone
      .locator("details.session", { hasText: "Session 1" })
      .evaluate((details: HTMLDetailsElement) => (details.open = true));
    await phone.getByText("2 commits, 2 files").waitFor(PATIENCE);
    await phone.getByRole("log").getByText("session 2 begins (2 of 4)").waitFor(PATIENCE);
    expect(await findViolations(phone)).toEqual([]);
  });

  test("is adjusted and given a note, and the page says when its host has them", async () => {
    await phone.getByRole("button", { name: "Adjust", exact: true }).click();
    await phone.getByRole("spinbutton", { name: "Maximum sessions" }).fill("6");
    await phone.getByRole("dialog").getByRole("button", { name: "Adjust" }).click();
    await expectDone("Adjust", "it applies from the next session on");
    await phone.getByText("of 6").first().waitFor(PATIENCE);
    await phone.getByRole("button", { name: "Add a note" }).click();
    await phone.getByRole("textbox", { name: "Note" }).fill("Mind the README");
    await phone.getByRole("button", { name: "Send note" }).click();
    await expectDone("Note", "the next session will read it");
  });

  test("keeps showing what it was while the server is gone, and goes on by itself when it is back", async () => {
    await server.end("SIGKILL");
    await phone.getByText("The server does not answer.").waitFor(PATIENCE);
    await phone.getByRole("heading", { name: "real", level: 1 }).waitFor();
    server = await startServer();
    await phone.getByText("The server does not answer.").waitFor({ state: "detached", ...PATIENCE });
    await phone.getByText("Live", { exact: true }).waitFor(PATIENCE);
  });

  test("is stopped, and says so when it has stopped", async () => {
    await press("Stop");
    await expectDone("Stop", "it is stopped");
    await phone.getByRole("button", { name: "Resume" }).waitFor(PATIENCE);
    expect(lab.state("real")?.status).toBe("stopped");
  });

  test("is resumed by the steerer of its host, and ends complete with its gates green", async () => {
    await press("Resume");
    await expectDone("Resume", "resumed");
    await phone.locator(".status", { hasText: "Complete" }).waitFor(PATIENCE);
    await phone.getByText("said it is done", { exact: true }).waitFor(PATIENCE);
    await phone.locator("summary", { hasText: "Session 3" }).waitFor();
    await phone.getByText("DONE, and the gates are healthy").first().waitFor();
    expect(lab.prompts("real").at(-1)).toContain("WORKER MODE: Add fixed.txt");
    expect(await findViolations(phone)).toEqual([]);
  });

  test("shows its last patch and its handoff on a desk, and the night counts it", async () => {
    await phone.setViewportSize({ width: 1280, height: 900 });
    await phone
      .locator("summary", { hasText: /^Changes$/ })
      .last()
      .click();
    await phone
      .getByRole("region", { name: "Changes of fixed.txt" })
      .getByRole("cell", { name: "added: x" })
      .waitFor(PATIENCE);
    await phone.getByRole("link", { name: "Night" }).first().click();
    await phone.getByText("1 done").waitFor(PATIENCE);
    await phone.getByText("0 need you").waitFor();
    expect(complaints).toEqual([]);
  });
});
