import { expect, test } from "vitest";
import { describeEngines } from "./fixtures/engines.ts";
import { useEmptiedServer } from "./fixtures/use-emptied-server.ts";

describeEngines((engine) => {
  const memory = useEmptiedServer(engine);
  const inOrder = async (path: "/inject" | "/query", context: string): Promise<string[]> => {
    const { json } = await memory.server.ask("POST", path, { body: { context } });
    return json.learnings.map(({ id }: { id: string }) => id);
  };

  test.each([
    ["an error code", "ECONNRESET_4711", "ECONNRESET"],
    ["a code of a compiler", "TS2345", "TS2346"],
    ["a ticket", "PAY-2817", "PAY-2818"],
    ["a version", "v20.19.4", "v20.19.1"],
    ["a date", "2026-11-20", "2026-11-21"],
    ["a marker", "gate-test-trigger-1795341154190002", "gate-test-trigger-1795341154190003"],
  ])("%s that matches whole comes before one that shares every other word", async (_, whole, near) => {
    const named = await memory.server.learn({ trigger: whole, learning: "ask the network team" });
    const like = await memory.server.learn({
      trigger: `${near} in checkout service tests on CI`,
      learning: "run the checkout service tests on CI once more",
    });
    const context = `${whole} in checkout service tests on CI`;
    expect(await inOrder("/query", context)).toEqual([named.id, like.id]);
    expect((await inOrder("/inject", context))[0]).toBe(named.id);
  });

  test("what shares no part of an identifier keeps its place, and so do names made of words", async () => {
    const version = await memory.server.learn({ trigger: "v20.19.4", learning: "is on the build host" });
    const name = await memory.server.learn({ trigger: "checkoutServiceRetries", learning: "is three" });
    const about = await memory.server.learn({
      trigger: "checkout service tests hang on CI",
      learning: "raise the pool of the test database",
    });
    expect((await inOrder("/query", "checkout service tests hang on CI with v20.19.4"))[0]).toBe(about.id);
    expect(await inOrder("/query", "checkout service tests hang on CI with v20.19.4")).toContain(version.id);
    const named = await inOrder("/query", "checkout service tests hang on CI, checkoutServiceRetries");
    expect(named[0]).toBe(about.id);
    expect(named).toContain(name.id);
  });
});
