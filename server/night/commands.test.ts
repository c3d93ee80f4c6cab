import { expect, test } from "vitest";
import { describeEngines } from "../memory/fixtures/engines.ts";
import { batchOf } from "./fixtures/batches.ts";
import { iso } from "../../core/clock.ts";
import { START, useNight } from "./fixtures/use-night.ts";
import type { CommandView, FetchedCommand } from "./schemas.ts";

describeEngines((engine) => {
  const night = useNight(engine);
  const { tell, read } = night;
  const makeToken = async (actions: string[]): Promise<string> => {
    const made = await night.ask("POST", "/api/tokens", { as: night.admin, body: { actions } });
    return (JSON.parse(made.text) as { token: string }).token;
  };

  test("a command waits for its host, is given out until it is acknowledged, and says what became of it", async () => {
    await tell(batchOf({}));
    const asked = await night.ask("POST", "/api/night/runs/run-00000001/commands", {
      as: night.admin,
      body: { action: "adjust", max: 8 },
    });
    expect(asked.status).toBe(201);
    const poll = async (body: object) => {
      const answer = await night.ask("POST", "/api/fleet/build-1/commands", { body: { acks: [], ...body } });
      return (JSON.parse(answer.text) as { commands: FetchedCommand[] }).commands;
    };
    expect(await poll({ worker: "other" })).toEqual([]);
    expect(await poll({ workers: ["docs"] })).toEqual([]); // a steerer adjusts nobody who runs
    const [command] = await poll({ worker: "docs" });
    expect(command).toMatchObject({ action: "adjust", args: { max: 8 } });
    expect(await poll({ worker: "docs" })).toHaveLength(1); // the answer may have been lost
    const id = command?.id ?? "";
    const states = async () =>
      (await read<{ commands: CommandView[] }>("/api/night/runs/run-00000001")).commands.map(
        ({ state }) => state,
      );
    expect(await states()).toEqual(["sent"]);
    expect(await poll({ worker: "docs", acks: [{ id, state: "received" }] })).toEqual([]);
    expect(await states()).toEqual(["received"]);
    await poll({
      worker: "docs",
      acks: [{ id, state: "done", detail: "it applies from the next session on" }],
    });
    await poll({ worker: "docs", acks: [{ id, state: "failed" }] });
    expect(await states()).toEqual(["done"]);
  });

  test("an answer that is held back comes as soon as there is a command", async () => {
    const waiting = night.ask("POST", "/api/fleet/build-1/commands", {
      body: { worker: "docs", waitSeconds: 25, acks: [] },
    });
    const body = { action: "note", text: "look at the tests first" };
    await night.ask("POST", "/api/night/runs/run-00000001/commands", { as: night.admin, body });
    expect((await waiting).text).toContain("look at the tests first");
  });

  test("refuses what makes no sense, in words", async () => {
    const failed = { run: { id: "run-fails-0001" }, report: { status: "failed", endedAt: iso(START) } };
    await tell(batchOf(failed), "api");
    const ask = async (body: object, run = "run-00000001") => {
      const answer = await night.ask("POST", `/api/night/runs/${run}/commands`, { as: night.admin, body });
      return [answer.status, (JSON.parse(answer.text) as { error: string }).error];
    };
    expect(await ask({ action: "adjust" })).toEqual([
      400,
      "say what to adjust: task, max, model or budgetUsd",
    ]);
    expect(await ask({ action: "note" })).toEqual([400, "a note needs its text"]);
    expect((await ask({ action: "explode" }))[0]).toBe(400);
    expect((await ask({ action: "stop" }, "run-nobody-1"))[0]).toBe(404);
    expect(await ask({ action: "resume" })).toEqual([
      409,
      "docs is running; only one that has ended can be asked to resume",
    ]);
    expect((await ask({ action: "stop" }, "run-fails-0001"))[0]).toBe(409);
  });

  test("watching and steering are permissions of their own, and a reporting key steers nobody", async () => {
    const [watcher, steerer, uploader] = [
      await makeToken(["watch"]),
      await makeToken(["steer"]),
      await makeToken(["upload"]),
    ];
    const statusOf = async (method: string, path: string, as: string | null) =>
      (
        await night.ask(method, path, {
          as,
          ...(method === "POST" ? { body: { action: "note", text: "hi" } } : {}),
        })
      ).status;
    const look = (as: string | null) => statusOf("GET", "/api/night", as);
    const act = (as: string | null) => statusOf("POST", "/api/night/runs/run-00000001/commands", as);
    expect([
      await look(watcher),
      await look(steerer),
      await look(night.admin),
      await look(night.server().key),
    ]).toEqual([200, 200, 200, 200]);
    expect([await look(uploader), await look(null)]).toEqual([403, 401]);
    expect([
      await act(steerer),
      await act(watcher),
      await act(uploader),
      await act(night.server().key),
    ]).toEqual([201, 403, 403, 403]);
    expect((await tell(batchOf({}), "docs")).status).toBe(200);
    expect(
      (await night.ask("POST", "/api/fleet/h/w/events", { body: batchOf({}), as: watcher })).status,
    ).toBe(403);
  });

  test("what a person asked of a worker is in the security log", async () => {
    const { text } = await night.ask("GET", "/api/security-log", { as: night.admin });
    expect(text).toContain('"event":"worker-command"');
    expect(text).toContain("adjust for docs on build-1");
  });

  test("the stream says which run changed, at once", async () => {
    const response = await fetch(`${night.server().url}/api/night/stream`, {
      headers: { authorization: `Bearer ${night.admin}` },
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = response.body?.getReader();
    let seen = "";
    const next = async () => {
      seen += new TextDecoder().decode((await reader?.read())?.value);
    };
    await next();
    await tell(batchOf({ events: [{ kind: "critic-stop", data: { reason: "skips tests" } }] }, 900));
    while (!seen.includes("event: change")) await next();
    expect(seen).toContain('"run":"run-00000001"');
    expect(seen).toContain("critic-stop");
    await reader?.cancel();
  });
});
