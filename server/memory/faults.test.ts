import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeEngines } from "./fixtures/engines.ts";
import { type MemoryServer, startMemoryServer } from "./fixtures/start-memory-server.ts";

describeEngines((engine) => {
  describe("what is wrong with a request", () => {
    let server: MemoryServer;
    beforeAll(async () => {
      server = await startMemoryServer(await engine.environment());
    });
    afterAll(() => server.stop());
    const pathsOf = async (method: string, path: string, body?: unknown): Promise<string[]> => {
      const answer = await server.ask(method, path, body === undefined ? {} : { body });
      expect(answer.status).toBe(400);
      return answer.json.errors.map((fault) => fault.path).sort();
    };

    test.each([
      ["GET", "/query?context=x&limit=0", ["/query/limit"]],
      ["GET", "/query?context=x&limit=five", ["/query/limit"]],
      ["GET", "/learnings?limit=5000&offset=-1", ["/query/limit", "/query/offset"]],
      ["DELETE", "/learnings?confidence_lt=2", ["/query/confidence_lt"]],
    ])("names the field of a query: %s %s", async (method, path, paths) => {
      expect(await pathsOf(method, path)).toEqual(paths);
    });

    test.each([
      [
        "/learn",
        { trigger: " \u200B", learning: "x", confidence: 7, type: "no" },
        ["/body/confidence", "/body/trigger", "/body/type"],
      ],
      ["/inject", { limit: 0, format: "no" }, ["/body/context", "/body/format", "/body/limit"]],
      ["/outcome", { outcome: "maybe" }, ["/body/outcome", "/body/receipt"]],
      ["/undo", { since: "yesterday", writer: 7 }, ["/body/since", "/body/writer"]],
      ["/learn", { trigger: "\u034F", learning: "x", fixes: "none" }, ["/body/fixes", "/body/trigger"]],
    ])("tells faults of type and of meaning in one answer: %s %j", async (path, body, paths) => {
      expect(await pathsOf("POST", path, body)).toEqual(paths);
    });

    test("names what a choice allows", async () => {
      const { text } = await server.ask("POST", "/learn", {
        body: { trigger: "a", learning: "b", type: "no" },
      });
      expect(text).toContain('Expected one of \\"learning\\", \\"failure\\", \\"state\\"');
    });

    test("a learning longer than a prompt is told so when it is stored, and is given cut, with a reference", async () => {
      const trigger = "migrating the warehouse to the new schema";
      const short = await server.ask("POST", "/learn", { body: { trigger, learning: "stop the loaders" } });
      expect(short.text).not.toContain("notice");
      const learning = `freeze the loaders first; ${"then copy one table after the other 👨‍👩‍👧. ".repeat(340)}`;
      const stored = await server.ask("POST", "/learn", { body: { trigger, learning, marker: "long" } });
      expect(stored.text).toContain("/inject gives 2000 by default");
      const { prompt, tokens, learnings } = await server.inject({ context: trigger });
      expect(learnings).toHaveLength(2);
      expect(tokens).toBeLessThanOrEqual(2000);
      expect(prompt).toContain("freeze the loaders first");
      expect(prompt).toContain(`(cut here; the whole: GET /learning/${stored.json.id})`);
      expect(prompt).toContain("stop the loaders");
      const [, ...lines] = prompt.split("\n");
      expect(lines.at(-1)).toMatch(/^<\/memory-reference/);
    });
  });
});
