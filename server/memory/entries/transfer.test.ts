import { expect, test } from "vitest";
import { startMemoryServer } from "../fixtures/start-memory-server.ts";

test("an import goes on where one broke off, and takes back nothing that was verified since", async () => {
  let now = Date.UTC(2026, 10, 20);
  const server = await startMemoryServer({}, () => now);
  try {
    const lines = Array.from({ length: 600 }, (_, at) =>
      JSON.stringify({ trigger: `trigger ${at}`, learning: `note ${at}` }),
    );
    const add = async (count: number) =>
      (await server.ask("POST", "/learnings/import", { body: lines.slice(0, count).join("\n") })).json;
    expect(await add(500)).toEqual({ stored: 500, merged: 0 });
    expect(await add(600)).toEqual({ stored: 100, merged: 500 });
    expect(await add(600)).toEqual({ stored: 0, merged: 600 });

    const exported = (await server.ask("GET", "/learnings/export")).text;
    now += 86_400_000;
    const [first] = (await server.ask("GET", "/learnings?limit=1")).json.learnings;
    const verified = (await server.ask("POST", `/learning/${first?.id}/verify`)).json.verifiedAt;
    expect(verified).toBe(new Date(now).toISOString());
    expect((await server.ask("POST", "/learnings/import", { body: exported })).json.merged).toBe(600);
    expect((await server.ask("GET", `/learning/${first?.id}`)).json.verifiedAt).toBe(verified);
  } finally {
    await server.stop();
  }
});
