import fc from "fast-check";
import { expect, test } from "vitest";
import { waitFor } from "../../test/wait-for.ts";
import { PUBLIC, startEcho, startGreeter, startListener, startProxy, startWeb } from "./fixtures/internet.ts";
import { get, nextData, open, say, site } from "./fixtures/talk.ts";
import { startEgressProxy, systemEgressPorts } from "./start-egress-proxy.ts";

test("a plain request to an allowed host is passed on and answered", async () => {
  const { socketPath, ledger } = await site();
  const answer = await say(socketPath, get("http://good.example/a?b=1"));
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*GET good\.example\/a\?b=1$/);
  await waitFor("the ledger or the answer", () => (ledger()[0]?.bytesReceived ?? 0) > 0);
  expect(ledger()).toMatchObject([{ host: "good.example", port: 80, verdict: "allowed", times: 1 }]);
});

test("a host that is not in the list is refused with what to write, and is never looked up", async () => {
  const { socketPath, looked, ledger } = await site();
  const answer = await say(socketPath, "CONNECT evil.example:443 HTTP/1.1\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(answer).toContain('sandbox: { network: { allow: ["evil.example"] } }');
  expect(looked).toEqual([]);
  expect(ledger()).toMatchObject([{ host: "evil.example", port: 443, verdict: "refused", times: 1 }]);
});

test("a tunnel carries both ways, and each side may end its half", async () => {
  const { socketPath, ledger } = await site({ ports: { 443: await startListener() } });
  const socket = open(socketPath);
  socket.write("CONNECT good.example:443 HTTP/1.1\r\n\r\n");
  expect(await nextData(socket)).toMatch(/^HTTP\/1\.1 200 /);
  const heard = nextData(socket);
  socket.end("x".repeat(100_000));
  expect(await heard).toBe("heard 100000");
  await waitFor(
    "the ledger or the answer",
    () => ledger()[0]?.bytesSent === 100_000 && ledger()[0]?.bytesReceived === 12,
  );
});

test("a server that speaks first is heard before the client says anything", async () => {
  const { socketPath } = await site({ ports: { 22: await startGreeter() }, allow: ["good.example:22"] });
  const socket = open(socketPath);
  socket.write("CONNECT good.example:22 HTTP/1.1\r\n\r\n");
  let heard = "";
  socket.on("data", (chunk) => (heard += chunk.toString()));
  await waitFor("the ledger or the answer", () => heard.endsWith("SSH-2.0-greeter\r\n"));
  socket.destroy();
});

test.each([
  ["a port that was not named", "good.example:8080", ["good.example"]],
  ["a port other than the one named", "good.example:443", ["good.example:8080"]],
  ["the host below which everything is allowed", "good.example:443", ["*.good.example"]],
  ["a name that only ends alike", "notgood.example:443", ["*.good.example", "good.example"]],
  ["an address, though its name is allowed", `${PUBLIC}:443`, ["good.example"]],
  ["an address in another spelling", "[::ffff:5db8:d70e]:443", ["good.example"]],
])("refuses %s", async (_, target, allow) => {
  const { socketPath, connected } = await site({ allow });
  expect(await say(socketPath, `CONNECT ${target} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
  expect(connected).toEqual([]);
});

test.each([
  ["good.example.", ["good.example"]],
  ["GOOD.example", ["good.EXAMPLE"]],
  ["a.b.good.example", ["*.good.example"]],
  ["good.example", ["good.example:80"]],
  [PUBLIC, [PUBLIC]],
])("lets %s through with %j", async (host, allow) => {
  const { socketPath } = await site({
    allow,
    names: { "good.example": PUBLIC, "a.b.good.example": PUBLIC },
  });
  expect(await say(socketPath, get(`http://${host}/`))).toMatch(/^HTTP\/1\.1 200 /);
});

const PRIVATE = [
  "127.0.0.1",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.100.100.200",
  "0.0.0.0",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "fd00:ec2::254",
  "fe80::1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
];

test.each(PRIVATE)("an allowed name that leads to %s is refused", async (address) => {
  const { socketPath, connected } = await site({ names: { "good.example": address } });
  const answer = await say(socketPath, "CONNECT good.example:443 HTTP/1.1\r\n\r\n");
  expect(answer).toContain("not a public address");
  expect(connected).toEqual([]);
});

test.each(PRIVATE)("with an open network %s stays out of reach, by address and by name", async (address) => {
  const { socketPath, connected } = await site({ mode: "open", names: { "any.example": address } });
  const named = address.includes(":") ? `[${address}]` : address;
  for (const target of [named, "any.example"])
    expect(await say(socketPath, `CONNECT ${target}:80 HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
  expect(connected).toEqual([]);
});

test("a number that the system would read as this machine's address is none", async () => {
  const web = await startWeb();
  const { socketPath } = await startProxy({ mode: "open", names: { "2130706433": "127.0.0.1" } });
  for (const host of ["2130706433", "0x7f000001", "127.1", "0177.0.0.1"])
    expect(await say(socketPath, `CONNECT ${host}:${web} HTTP/1.1\r\n\r\n`)).not.toMatch(/^HTTP\/1\.1 200 /);
});

test("of a name's addresses the public ones are used, and it is looked up once", async () => {
  const { socketPath, looked, connected } = await site({
    names: { "good.example": ["10.0.0.1", PUBLIC] },
  });
  expect(await say(socketPath, get("http://good.example/"))).toMatch(/^HTTP\/1\.1 200 /);
  expect({ looked, connected }).toEqual({ looked: ["good.example"], connected: [`${PUBLIC}:80`] });
});

test("a loopback port of the host is reached when its address is in the list", async () => {
  const web = await startWeb();
  const { socketPath } = await startProxy({ allow: [`127.0.0.1:${web}`] });
  expect(await say(socketPath, get(`http://127.0.0.1:${web}/inject`))).toMatch(/^HTTP\/1\.1 200 /);
  expect(await say(socketPath, get(`http://127.0.0.1:${web + 1}/`))).toMatch(/^HTTP\/1\.1 403 /);
  expect(await say(socketPath, get(`http://127.0.0.2:${web}/`))).toMatch(/^HTTP\/1\.1 403 /);
});

test("a name may lead into a private network when the address is in the list, too", async () => {
  const web = await startWeb();
  const { socketPath } = await startProxy({
    names: { "memory.example": "127.0.0.1" },
    allow: [`memory.example:${web}`, `127.0.0.1:${web}`],
  });
  expect(await say(socketPath, get(`http://memory.example:${web}/`))).toMatch(/^HTTP\/1\.1 200 /);
});

test("an open network reaches every public host on every port, and none reaches nobody", async () => {
  const opened = await site({ mode: "open", allow: [] });
  expect(await say(opened.socketPath, get("http://evil.example:8080/"))).toMatch(/^HTTP\/1\.1 200 /);
  const closed = await site({ mode: "none" });
  expect(await say(closed.socketPath, get("http://good.example/"))).toContain('network: "none"');
});

test("a request cannot name one host in its line and another in its field", async () => {
  const { socketPath } = await site();
  const answer = await say(socketPath, get("http://good.example/", "evil.example"));
  expect(answer).toMatch(/GET good\.example\/$/);
});

test.each([
  ["no proxy request", "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n"],
  ["a target without a port", "CONNECT good.example HTTP/1.1\r\n\r\n"],
  ["a target that is no name", "CONNECT go od:443 HTTP/1.1\r\n\r\n"],
  ["a folded field", "GET http://good.example/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n"],
  ["a bare line feed", "GET http://good.example/ HTTP/1.1\r\nA: b\nHost: evil.example\r\n\r\n"],
])("%s is answered with what is wrong", async (_, text) => {
  const { socketPath, connected } = await site();
  expect(await say(socketPath, text)).toMatch(/^HTTP\/1\.1 400 [\s\S]*nightshift: /);
  expect(connected).toEqual([]);
});

test("what the proxy alone is told does not go further", async () => {
  const { socketPath } = await site({ ports: { 80: await startEcho() } });
  const head = "GET http://user:pw@good.example/ HTTP/1.1\r\nProxy-Authorization: secret\r\nX-Drop: 1\r\n";
  expect(await say(socketPath, `${head}Connection: keep-alive, X-Drop\r\nX-Kept: 2\r\n\r\n`)).toBe(
    "GET / HTTP/1.1\r\nHost: good.example\r\nX-Kept: 2\r\nConnection: close\r\n\r\n",
  );
});

test("an allowed host that does not answer is a failure of its own, said with the reason", async () => {
  const { socketPath, ledger } = await site({ ports: {}, names: { "good.example": [] } });
  expect(await say(socketPath, get("http://good.example/"))).toMatch(/^HTTP\/1\.1 502 [\s\S]*no address/);
  expect(ledger()).toMatchObject([{ verdict: "failed", host: "good.example" }]);
});

const socksTo = (host: Buffer, type: number, port: number): Buffer =>
  Buffer.concat([
    Buffer.from([5, 1, 0, type]),
    ...(type === 3 ? [Buffer.from([host.length])] : []),
    host,
    Buffer.from([port >> 8, port & 255]),
  ]);
const HELLO = Buffer.from([5, 1, 0]);

test("SOCKS5 takes names and addresses, and refuses by its own code", async () => {
  const web = await startWeb();
  const { socketPath } = await startProxy({
    names: { "good.example": PUBLIC },
    ports: { 80: web },
    allow: ["good.example", `127.0.0.1:${web}`],
  });
  const request = "GET / HTTP/1.0\r\nHost: good.example\r\n\r\n";
  const named = await say(socketPath, HELLO, socksTo(Buffer.from("good.example"), 3, 80), request);
  expect(named.startsWith("\u0005\0\u0005\0\0\u0001")).toBe(true);
  expect(named).toContain("GET good.example/");
  const byAddress = await say(socketPath, HELLO, socksTo(Buffer.from([127, 0, 0, 1]), 1, web), request);
  expect(byAddress).toContain("200 OK");
  const refused = await say(socketPath, HELLO, socksTo(Buffer.from("evil.example"), 3, 80));
  expect(refused[3]).toBe("\u0002");
  const v6 = Buffer.from("00000000000000000000000000000001", "hex");
  expect((await say(socketPath, HELLO, socksTo(v6, 4, 80)))[3]).toBe("\u0002");
  expect((await say(socketPath, Buffer.from([5, 1, 2])))[1]).toBe("\u00ff");
  expect((await say(socketPath, HELLO, Buffer.from([5, 2, 0, 1, 1, 1, 1, 1, 0, 80])))[3]).toBe("\u0007");
});

test("whatever bytes come in, the proxy goes on and lets nothing out", async () => {
  const { socketPath, connected } = await site({ limits: { headMs: 30 } });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(0, 3, 4, 7), async (bytes, cut) => {
      await say(socketPath, Buffer.concat([HELLO.subarray(0, cut), Buffer.from(bytes)]));
    }),
    { numRuns: 60 },
  );
  expect(connected).toEqual([]);
  expect(await say(socketPath, get("http://good.example/"))).toMatch(/^HTTP\/1\.1 200 /);
});

test("an entry that is no host and a socket that cannot be made are said", async () => {
  const start = (socketPath: string, allow: string[]) =>
    startEgressProxy(systemEgressPorts, { socketPath, allow, mode: "allow-list", onLedger: () => {} });
  await expect(start("/tmp/x.sock", ["https://good.example/"])).rejects.toThrow(
    /network\.allow .* is not a host/,
  );
  await expect(start("/nowhere/x.sock", [])).rejects.toThrow(/\/nowhere\/x\.sock was not made/);
  await expect(start(`/tmp/${"x".repeat(120)}`, [])).rejects.toThrow(/107 bytes/);
});
