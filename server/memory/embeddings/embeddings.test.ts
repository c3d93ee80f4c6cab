import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MemoryServer, startMemoryServer } from "../fixtures/start-memory-server.ts";
import { describeEngines } from "../fixtures/engines.ts";

describeEngines((engine) => {
  /** A model that knows what eight topics are called: one dimension a topic, and a little noise. */
  const TOPICS = [
    ["invoice", "bill", "payment"],
    ["container", "docker", "image"],
    ["holiday", "vacation", "leave"],
    ["login", "password", "credential"],
    ["weather", "rain", "storm"],
    ["piano", "violin", "music"],
    ["recipe", "kitchen", "bread"],
    ["forest", "tree", "wood"],
  ];
  const vectorOf = (text: string): number[] =>
    TOPICS.map((words, at) =>
      words.some((word) => text.includes(word)) ? 1 : 0.02 * ((text.length + at) % 3),
    );

  type Model = {
    url: string;
    asked: { model: string; input: string[] }[];
    mode: "good" | "broken" | "silent";
    close: () => void;
  };

  const startModel = async (): Promise<Model> => {
    const sockets: Server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => {
        const question = JSON.parse(body) as { model: string; input: string[] };
        model.asked.push(question);
        if (model.mode === "silent") return;
        if (model.mode === "broken") {
          response.writeHead(500).end();
          return;
        }
        const data = question.input.map((text, index) => ({ index, embedding: vectorOf(text) }));
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ data: data.toReversed() }));
      });
    });
    await new Promise<void>((resolve) => sockets.listen(0, "127.0.0.1", () => resolve()));
    const model: Model = {
      url: `http://127.0.0.1:${(sockets.address() as AddressInfo).port}/v1/embeddings`,
      asked: [],
      mode: "good",
      close: () => {
        sockets.closeAllConnections();
        sockets.close();
      },
    };
    return model;
  };

  let model: Model;
  let server: MemoryServer;
  let env: Record<string, string>;
  let now = Date.now();
  beforeEach(async () => {
    model = await startModel();
    env = { ...(await engine.environment()), EMBEDDINGS_URL: model.url, EMBEDDINGS_MODEL: "topics-1" };
    server = await startMemoryServer(env, () => now);
    const lines = TOPICS.map(([word = ""], at) =>
      JSON.stringify({ trigger: `about the ${word}`, learning: `note ${word} ${at}` }),
    );
    await server.ask("POST", "/learnings/import", { body: lines.join("\n") });
  });
  afterEach(async () => {
    await server.stop();
    model.close();
  });

  const queryFirst = async (context: string) =>
    (await server.ask("POST", "/query", { body: { context } })).json.learnings[0]?.trigger;

  /** Vectors are made after the write was answered. */
  const untilIndexed = (): Promise<unknown> =>
    expect.poll(() => model.asked.flatMap(({ input }) => input).length).toBeGreaterThanOrEqual(TOPICS.length);

  test("a learning that shares no word with the context is found by its meaning", async () => {
    await untilIndexed();
    await expect.poll(() => queryFirst("zzz my violin concert")).toBe("about the piano");
    expect(await queryFirst("unrelated qqq")).toBeUndefined();
    expect(model.asked[0]?.model).toBe("topics-1");
  });

  if (engine.name === "PostgreSQL")
    test("a server finds by meaning what another one was told", async () => {
      const other = await startMemoryServer(env, () => now);
      try {
        const trigger = "a kitchen of one's own";
        // Two of nine would not stand out.
        for (let at = 0; at < 9; at++) await other.learn({ trigger: `storm ${at}`, learning: "rain" });
        await other.learn({ trigger, learning: "measured twice" });
        await expect.poll(() => queryFirst("zzz baking bread")).toBe(trigger);
      } finally {
        await other.stop();
      }
    });

  test("a model that fails or is silent costs no answer, and is left alone after three failures", async () => {
    await untilIndexed();
    await expect.poll(() => queryFirst("zzz my violin concert")).toBe("about the piano");
    model.mode = "silent";
    expect(await queryFirst("about the forest")).toBe("about the forest");
    model.mode = "broken";
    await queryFirst("about the forest");
    await queryFirst("about the forest");
    const before = model.asked.length;
    expect(await queryFirst("about the forest")).toBe("about the forest");
    expect(model.asked.length).toBe(before);
    model.mode = "good";
    now += 31_000;
    expect(await queryFirst("zzz my violin concert")).toBe("about the piano");
  });
});
