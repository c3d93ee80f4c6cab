import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { createWebMcpCompanion } from "./index.ts";
import { libraryDocument } from "./fixtures/library-document.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The plainest bridge from Node to a handler of Web requests, as people write it. */
const serveLibrary = async (): Promise<number> => {
  const companion = createWebMcpCompanion({
    document: libraryDocument(),
    renderPage: () => new Response(""),
    dispatch: () => new Response("{}"),
    prepareWrite: () => new Response("{}"),
    maxInputBytes: 1000,
  });
  const toRequest = (incoming: IncomingMessage): Request => {
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
      body: Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>,
      duplex: "half",
    };
    return new Request(`http://localhost${incoming.url}`, init);
  };
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const answer = await companion.handle(toRequest(incoming));
    outgoing.writeHead(answer?.status ?? 404);
    outgoing.end(await answer?.text());
  };
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

const call = (port: number, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        method: "POST",
        path: "/__companion/call/listBooks",
        headers: { "content-type": "application/json", ...headers },
        agent: false,
      },
      (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.on("error", reject);
    const part = Buffer.alloc(64 * 1024, "a");
    for (let at = 0; at < 64; at += 1) sent.write(part);
    sent.end();
  });

test.each([{}, { "content-length": String(4 * 1024 * 1024) }])(
  "a plain bridge answers every call that is too large with 413, sent with %j",
  async (headers) => {
    const port = await serveLibrary();
    for (let round = 0; round < 20; round += 1) expect(await call(port, headers)).toBe(413);
  },
);

test("a call that is cut off in its middle ends nothing but itself", async () => {
  const port = await serveLibrary();
  const head = `POST /__companion/call/listBooks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  for (const body of ["5\r\nab", `400\r\n${"a".repeat(1024)}\r\n400\r\n${"a".repeat(100)}`])
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write(head + body, () => socket.destroy());
      });
      socket.once("close", () => resolve());
    });
  expect(await call(port, {})).toBe(413);
});
