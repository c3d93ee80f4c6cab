import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyLines } from "../../../server/security-log/chain.ts";
import { startTestServer, type TestServer } from "../../../server/fixtures/test-server.ts";
import { bunBinary } from "../../../test/bun.ts";

const nightshift = resolve(import.meta.dirname, "../../nightshift.ts");
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer("node");
});
afterAll(() => server.stop());

const run = async (words: string[], port = server.port): Promise<{ code: number | null; out: string }> => {
  const child = spawn(bunBinary(), [nightshift, "security-log", ...words], {
    cwd: server.home,
    env: {
      PATH: process.env["PATH"],
      HOME: server.home,
      NIGHTSHIFT_HOME: server.home,
      NIGHTSHIFT_URL: `http://127.0.0.1:${port}`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out };
};

test("shows what the server wrote down, whole when it is saved as JSON", async () => {
  await fetch(`http://127.0.0.1:${server.port}/api/sites`, { headers: { authorization: "Bearer guess" } });
  const shown = await run(["--last", "5"]);
  expect(shown).toMatchObject({
    code: 0,
    out: expect.stringMatching(/refusal {2}refused {2}GET \/api\/sites {2}401/),
  });
  const lines = (await run(["--json"])).out.trim().split("\n");
  expect(await verifyLines(lines)).toMatchObject({ ok: true, lines: lines.length });
  const whole = /^whole: \d+ lines, the newest is (\d+:[0-9a-f]{64})\n$/;
  const verified = await run(["--verify"]);
  expect(verified).toMatchObject({ code: 0, out: expect.stringMatching(whole) });
  const noted = whole.exec(verified.out)?.[1] ?? "";
  expect((await run(["--verify", "--seen", noted])).code).toBe(0);
  expect(await run(["--verify", "--seen", noted.replace(/^\d+/, "999")])).toMatchObject({
    code: 1,
    out: expect.stringContaining("line 999, which was noted, is missing"),
  });
  expect((await run(["--seen", noted])).code).toBe(64);
});

test("a log that was changed is said, with exit 1", async () => {
  const fault = "line 3 does not follow line 1";
  const changed = createServer((_, response) => response.end(JSON.stringify({ ok: false, lines: 1, fault })));
  await new Promise<void>((done) => changed.listen(0, "127.0.0.1", done));
  const { port } = changed.address() as AddressInfo;
  expect(await run(["--verify"], port)).toEqual({ code: 1, out: `${fault}\n` });
  changed.close();
});
