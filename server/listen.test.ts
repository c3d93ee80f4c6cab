import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { limitBody } from "./http/body-limit.ts";
import type { Handler } from "./http/handler.ts";
import { listen, type Listening } from "./listen.ts";

const running: Listening[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(0);
});

const serve = async (handler: Handler): Promise<Listening> => {
  const server = await listen(handler, { host: "127.0.0.1", port: 0 });
  running.push(server);
  return server;
};

test("passes method, headers, body and cookies through", async () => {
  const { url } = await serve(async (request, clientAddress) => {
    const headers = new Headers({ "x-peer": clientAddress?.() ?? "" });
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    return new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`, {
      status: 201,
      headers,
    });
  });
  const response = await fetch(`${url}/x%20y?q=1`, { method: "PUT", body: "hello" });
  expect(response.status).toBe(201);
  expect(await response.text()).toBe("PUT /x%20y hello");
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(response.headers.get("x-peer")).toMatch(/127\.0\.0\.1$/);
});

test("a client that waits for 100 Continue is refused without sending its body", async () => {
  const { port } = await serve((request) => {
    try {
      limitBody(request, 10);
      return new Response("ok");
    } catch {
      return new Response("too large", { status: 413 });
    }
  });
  const status = await new Promise<string | number | undefined>((resolve, reject) => {
    const asked = request({
      port,
      method: "POST",
      headers: { expect: "100-continue", "content-length": 1_000_000 },
    });
    asked.on("continue", () => resolve("continued"));
    asked.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
      asked.destroy();
    });
    asked.on("error", reject);
    asked.flushHeaders();
  });
  expect(status).toBe(413);
});

test("a body without a length is cut at the limit", async () => {
  const { port } = await serve(async (request) => {
    try {
      return new Response(await limitBody(request, 10).text());
    } catch (error) {
      return new Response(error instanceof Error ? error.message : "", { status: 413 });
    }
  });
  const status = await new Promise((resolve, reject) => {
    const asked = request({ port, method: "POST" }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on("error", reject);
    asked.write("12345678");
    asked.end("12345678");
  });
  expect(status).toBe(413);
});

test.each([
  ["GET http://evil.example/x?y HTTP/1.1\r\nHost: localhost", /^HTTP\/1\.1 200 [^]*localhost\/x\?y$/],
  ["GET /x HTTP/1.1\r\nHost: a/b@c", /^HTTP\/1\.1 400 /],
  ["OPTIONS * HTTP/1.1\r\nHost: localhost", /^HTTP\/1\.1 200 [^]*localhost\/$/],
])("%j reaches the handler as an address below its Host, or not at all", async (head, expected) => {
  const { port } = await serve((request) => new Response(new URL(request.url).href));
  const answer = await new Promise<string>((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${head}\r\nConnection: close\r\n\r\n`));
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("close", () => resolve(text));
  });
  expect(answer).toMatch(expected);
});

test("stopping lets a running request end and refuses new ones", async () => {
  let entered: () => void = () => {};
  let leave: () => void = () => {};
  const inside = new Promise<void>((resolve) => (entered = resolve));
  const gate = new Promise<void>((resolve) => (leave = resolve));
  const server = await serve(async () => {
    entered();
    await gate;
    return new Response("done");
  });
  const first = fetch(server.url);
  await inside;
  const stopped = server.stop(60_000);
  await expect(fetch(server.url)).rejects.toThrow();
  leave();
  expect(await (await first).text()).toBe("done");
  await stopped;
});

test("names the port that is in use", async () => {
  const { port } = await serve(() => new Response(""));
  await expect(listen(() => new Response(""), { host: "127.0.0.1", port })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port}: the port is in use; stop what uses it or set PORT`,
  );
});
