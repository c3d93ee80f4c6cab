import { expect, test } from "vitest";
import { waitFor } from "../../test/wait-for.ts";
import { startGreeter, startListener } from "./fixtures/internet.ts";
import { get, nextData, open, say, site } from "./fixtures/talk.ts";

test("a head that never ends is cut off, by size and by time", async () => {
  const { socketPath } = await site({ limits: { maxHeadBytes: 1_000, headMs: 200 } });
  expect(await say(socketPath, `GET http://good.example/ HTTP/1.1\r\nA: ${"a".repeat(2_000)}`)).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*too long/,
  );
  expect(await say(socketPath, "GET http://good.example/ HTTP/1.1\r\n")).toBe("");
  expect(await say(socketPath)).toBe("");
});

test("more connections than allowed are turned away, and there is room again after one ends", async () => {
  const { socketPath } = await site({ limits: { maxConnections: 1 }, ports: { 443: await startGreeter() } });
  const first = open(socketPath);
  first.write("CONNECT good.example:443 HTTP/1.1\r\n\r\n");
  await nextData(first);
  expect(await say(socketPath, get("http://good.example/"))).toBe("");
  const gone = new Promise((resolve) => first.once("close", resolve));
  first.destroy();
  await gone;
  await waitFor(
    "room",
    async () => (await say(socketPath, "CONNECT evil.example:1 HTTP/1.1\r\n\r\n")) !== "",
  );
});

test("a tunnel in which nothing moves is ended", async () => {
  const { socketPath } = await site({ limits: { idleMs: 100 }, ports: { 443: await startGreeter() } });
  expect(await say(socketPath, "CONNECT good.example:443 HTTP/1.1\r\n\r\n")).toContain("greeter");
});

test("the bytes of a connection are written down while it is open", async () => {
  const { socketPath, said } = await site({ limits: { flushMs: 10 }, ports: { 443: await startListener() } });
  const socket = open(socketPath);
  socket.write("CONNECT good.example:443 HTTP/1.1\r\n\r\n");
  await nextData(socket);
  socket.write("y".repeat(5_000));
  await waitFor("the ledger or the answer", () => said.at(-1)?.bytesSent === 5_000);
  expect(said[0]).toMatchObject({ host: "good.example", times: 1, bytesSent: 0 });
  socket.destroy();
});

test("closing ends every connection and says the last of the ledger", async () => {
  const { socketPath, close, ledger } = await site({ ports: { 443: await startGreeter() } });
  const socket = open(socketPath);
  socket.write("CONNECT good.example:443 HTTP/1.1\r\n\r\n");
  await nextData(socket);
  const gone = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  await close();
  socket.end();
  await gone;
  expect(ledger()[0]?.bytesReceived).toBe(17);
});
