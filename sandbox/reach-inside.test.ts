import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endChild, runChild, spawnMarked } from "../core/child-process.ts";
import { bubblewrap, EscapeLab } from "./fixtures/escape-lab.ts";
import { openSandbox } from "./open-sandbox.ts";
import { DEFAULT_SANDBOX } from "./settings.ts";

let lab: EscapeLab;
beforeEach(() => {
  lab = new EscapeLab();
});
afterEach(() => lab.dispose());

const SERVER = `
const server = require("node:http").createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => response.end(request.method + " " + body.length));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

test.skipIf(bubblewrap === undefined)(
  "a server inside is reached from outside at the port that it chose, by several callers at once",
  async () => {
    const sandbox = await openSandbox({
      chosen: { kind: "bubblewrap", program: bubblewrap ?? "" },
      settings: { ...DEFAULT_SANDBOX, network: { mode: "none", allow: [] } },
      env: lab.env,
      agent: "opencode", // is spoken to over a port of its own
      agentSettings: {},
      dir: lab.tree,
      hosts: [],
      show: [],
      onLedger: () => undefined,
    });
    const { child } = spawnMarked({
      command: process.execPath,
      args: ["-e", SERVER],
      cwd: lab.tree,
      env: sandbox.env,
      mark: "reach",
      confinement: sandbox.confinement,
    });
    try {
      const inner = await new Promise<number>((resolve) =>
        child.stdout?.once("data", (chunk: Buffer) => resolve(Number(chunk.toString()))),
      );
      const port = await sandbox.confinement.reach(inner);
      const ask = async (body: string) =>
        (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body })).text();
      const bodies = ["", "x".repeat(10), "y".repeat(300_000)];
      expect(await Promise.all(bodies.map(ask))).toEqual(bodies.map((body) => `POST ${body.length}`));
      expect(await sandbox.confinement.reach(inner)).toBe(port);
    } finally {
      await endChild(child, "reach", { graceMs: 200 });
      await sandbox.close();
    }
  },
);

test.skipIf(bubblewrap === undefined)(
  "a server of this machine is reached where two entries name its port, and where another port cannot be had",
  async () => {
    const server = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const sandbox = await openSandbox({
      chosen: { kind: "bubblewrap", program: bubblewrap ?? "" },
      settings: DEFAULT_SANDBOX,
      env: lab.env,
      agent: "scripted",
      agentSettings: {},
      dir: lab.tree,
      hosts: [`localhost:${port}`, `127.0.0.1:${port}`, "127.0.0.1:80"],
      show: [],
      onLedger: () => undefined,
    });
    try {
      const ask = `console.log(await (await fetch("http://127.0.0.1:${port}")).text())`;
      const said = await runChild({
        command: process.execPath,
        args: ["--input-type=module", "-e", ask],
        cwd: lab.tree,
        env: sandbox.env,
        confinement: sandbox.confinement,
      });
      expect(said).toMatchObject({ isOk: true, stdout: "hello\n" });
    } finally {
      await sandbox.close();
      server.close();
    }
  },
);
