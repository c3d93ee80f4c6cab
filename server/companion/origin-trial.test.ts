import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Log } from "../../core/log.ts";
import { createSilentLog } from "../../core/log.ts";
import { openTrial } from "../../test/origin-trial.ts";
import { startTestServer } from "../fixtures/test-server.ts";
import { readSettings } from "../settings.ts";
import { startServer } from "../start.ts";

const { issue } = openTrial();

test("the companion's page carries the origin-trial token, and no other answer does", async () => {
  const token = issue("http://127.0.0.1:4747", { expiresAt: Date.now() + 60_000 });
  const server = await startTestServer("node", { env: { WEBMCP_ORIGIN_TRIAL_TOKEN: token } });
  const headerOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`)).headers.get("origin-trial");
  expect(await headerOf("/__companion/")).toBe(token);
  expect(await headerOf("/__companion/manifest")).toBeNull();
  expect(await headerOf("/app")).toBeNull();
  await server.stop();
});

test("a server says at its start that its origin-trial token has ended", async () => {
  const home = mkdtempSync(join(tmpdir(), "nightshift-trial-"));
  const warnings: string[] = [];
  const log: Log = Object.assign(createSilentLog(), {
    warn: (_: object, message: string) => warnings.push(message),
  });
  const token = issue("http://127.0.0.1:4747", { expiresAt: Date.UTC(2026, 10, 17) });
  const env = {
    NIGHTSHIFT_HOME: home,
    MEMORY_API_KEY_FILE: join(home, "key"),
    WEBMCP_ORIGIN_TRIAL_TOKEN: token,
  };
  const server = await startServer({ ...readSettings(env), port: 0 }, { log });
  expect(warnings).toEqual([expect.stringContaining("WEBMCP_ORIGIN_TRIAL_TOKEN has ended")]);
  await server.stop();
  rmSync(home, { recursive: true });
});
