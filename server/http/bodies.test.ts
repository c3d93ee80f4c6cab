import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";

const MIB = 1024 * 1024;
const AT_ONCE = 8;

describeServers("hostile bodies", (lab) => {
  /** The status of a call whose client writes all of its body, whatever is answered meanwhile. */
  const send = (path: string, bytes: number, isChunked: boolean): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        ...(path === "/inject" ? {} : { authorization: `Bearer ${lab.server.adminToken}` }),
        ...(isChunked ? {} : { "content-length": bytes }),
      };
      const sent = request(
        { port: lab.server.port, method: "POST", path, headers, agent: false },
        (answer) => {
          answer.resume();
          answer.once("end", () => resolve(answer.statusCode ?? 0));
        },
      );
      sent.on("error", reject);
      const part = Buffer.alloc(64 * 1024, "a");
      for (let at = 0; at < bytes; at += part.length) sent.write(part);
      sent.end();
    });

  const open = async (head: string): Promise<Socket> => {
    const socket = connect(lab.server.port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(head);
    return socket;
  };

  const isUp = async (): Promise<boolean> =>
    (await fetch(`http://localhost:${lab.server.port}/health`)).status === 200;

  const areAnswered = async (
    calls: number,
    path: string,
    isChunked: boolean,
    status: number,
  ): Promise<void> => {
    const statuses: number[] = [];
    const worker = async (): Promise<void> => {
      for (let call = 0; call < calls / AT_ONCE; call += 1)
        statuses.push(await send(path, 4 * MIB, isChunked));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(statuses).toEqual(Array.from({ length: calls }, () => status));
  };

  const ANSWERED = "each of %i calls of %s that are too large (chunked: %s) is answered with %i";
  test.each([
    [32, "/inject", true, 413],
    [32, "/inject", false, 413],
    [32, "/__companion/call/listSites", true, 413],
    [32, "/api/nothing", true, 404],
  ])(ANSWERED, areAnswered);
  test.each([[160, "/inject", true, 413]])(ANSWERED, { tags: ["long"] }, areAnswered);

  test("goes on after uploads that are too long, cut by the server and then by their client", async () => {
    const created = await lab.admin.create("cut", { "index.html": "short" });
    const target = `/api/deployments/${created.deployment.id}/assets?path=index.html`;
    const head = `PUT ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${lab.server.adminToken}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const part = Buffer.alloc(64 * 1024, "a");
    const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);
    for (let round = 0; round < 20; round += 1) {
      const socket = await open(head);
      socket.write(chunk);
      if (round % 2 === 0) await once(socket, "data");
      for (let more = 0; more < round; more += 1) socket.write(chunk);
      socket.resetAndDestroy();
      const cut = await open(head);
      cut.end("3\r\nabc\r\n");
      cut.resume();
      await once(cut, "close");
    }
    expect(await isUp()).toBe(true);
    expect((await lab.admin.put(created.deployment.id, "index.html", "short")).status).toBe(200);
  });

  test("refuses what says it is too large at once when none of it comes", async () => {
    const socket = await open(
      `POST /inject HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${11 * MIB}\r\n\r\n`,
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});
