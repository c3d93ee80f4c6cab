import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { bunBinary } from "../../test/bun.ts";
import type { Principal } from "../auth/authenticate.ts";
import { openDatabase } from "../../db/open-database.ts";
import { DATABASES } from "../fixtures/test-server.ts";
import { type TestStores, useStores } from "../fixtures/use-stores.ts";
import { createSqliteApprovals, type ApprovalStore } from "../auth/approvals/approval-store.ts";
import { decide, findApproval, holdRequest } from "./decide.ts";
import { outcomeOf } from "./outcome.ts";

const person = (tokenId = "tok_1"): Principal => ({
  tokenId,
  label: "admin",
  site: undefined,
  actions: ["admin"],
  expiresAt: undefined,
  via: "session",
});
const ROUNDS = Number(process.env["NIGHTSHIFT_RACES"] ?? (process.env["CI"] ? 50 : 20));

const held = { tool: "forget", method: "DELETE", target: "/learning/7", contentType: "", body: "" };
/** The approvals of a folder whose server was killed, read as the next one does. */
const reopen = async (home: string, now: () => number): Promise<ApprovalStore> => {
  const db = openDatabase(home, { now });
  const kept = createSqliteApprovals(db, now);
  const listed = await kept.list("tok_1", 9);
  db.close();
  return { ...kept, list: async () => listed };
};

const sender = () => {
  const sent: string[] = [];
  const send = async ({ target }: { target: string }): Promise<Response> => {
    sent.push(target);
    return Response.json({ deleted: true });
  };
  return { sent, send };
};

describe.each(DATABASES)("decisions kept on %s", (database) => {
  const lab = useStores(database);
  const it = test.skipIf(lab.isMissing);
  let opened: TestStores;
  let approvals: ApprovalStore;
  let at: number;
  const now = (): number => at;
  beforeEach(async () => {
    if (lab.isMissing) return;
    at = Date.parse("2026-11-20T18:00:00Z");
    opened = await lab.open(now);
    approvals = opened.stores.approvals;
  });
  const hold = () => holdRequest({ approvals, now }, person(), held);

  it("an approved change is sent once, whatever happens at the same time", async () => {
    const { id, digest } = await hold();
    const { sent, send } = sender();
    const verdicts = Array.from({ length: 8 }, () =>
      decide({ approvals, now }, person(), { id, digest, verdict: "approve" }, send).then(
        () => "done",
        (error: Error) => error.message,
      ),
    );
    const outcomes = await Promise.all(verdicts);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(sent).toEqual(["/learning/7"]);
    await expect(decide({ approvals, now }, person(), { id, digest, verdict: "deny" }, send)).rejects.toThrow(
      "This change is done; it cannot be decided again",
    );
    const outcome = outcomeOf(await findApproval(approvals, person(), id));
    expect([outcome.status, await outcome.json()]).toEqual([200, { deleted: true }]);
  });

  it("a denied change is never sent, and the tool is told", async () => {
    const { id, digest } = await hold();
    const { sent, send } = sender();
    await decide({ approvals, now }, person(), { id, digest, verdict: "deny" }, send);
    const outcome = outcomeOf(await findApproval(approvals, person(), id));
    expect([outcome.status, await outcome.json(), sent]).toMatchObject([403, { error: "denied" }, []]);
  });

  it("a decision about anything but what is held has no effect", async () => {
    const { id } = await hold();
    const other = await holdRequest({ approvals, now }, person(), { ...held, target: "/learning/8" });
    const { sent, send } = sender();
    await expect(
      decide({ approvals, now }, person(), { id, digest: other.digest, verdict: "approve" }, send),
    ).rejects.toMatchObject({ code: "conflict" });
    // Somebody changed the row itself: the digest no longer fits it.
    await opened.meddle(`UPDATE approvals SET target = '/learning/9' WHERE id = '${other.id}'`);
    await expect(
      decide({ approvals, now }, person(), { id: other.id, digest: other.digest, verdict: "approve" }, send),
    ).rejects.toMatchObject({ code: "conflict" });
    expect(sent).toEqual([]);
  });

  it("another token's change can be neither seen nor decided", async () => {
    const { id, digest } = await hold();
    const { sent, send } = sender();
    const stranger = person("tok_2");
    await expect(
      decide({ approvals, now }, stranger, { id, digest, verdict: "approve" }, send),
    ).rejects.toMatchObject({ code: "not-found" });
    expect([await approvals.list("tok_2", 9), sent]).toEqual([[], []]);
  });

  it("after ten minutes it is too late", async () => {
    const { id, digest } = await hold();
    at += 10 * 60_000;
    const { sent, send } = sender();
    await expect(
      decide({ approvals, now }, person(), { id, digest, verdict: "approve" }, send),
    ).rejects.toThrow("This change is expired");
    expect(outcomeOf(await findApproval(approvals, person(), id)).status).toBe(403);
    expect(sent).toEqual([]);
  });

  it("what a server was sending when it ended is unknown, and never sent again", async () => {
    const { id, digest } = await hold();
    await approvals.claim(id, digest, "sending");
    const reopened = await opened.reopened();
    // Other servers of a shared database cannot see that it ended; they wait longer than any request takes.
    if (opened.url !== undefined) {
      expect((await findApproval(reopened, person(), id)).status).toBe("sending");
      at += 120_000;
    }
    expect((await findApproval(reopened, person(), id)).status).toBe("unknown");
    const { sent, send } = sender();
    await expect(
      decide({ approvals: reopened, now }, person(), { id, digest, verdict: "approve" }, send),
    ).rejects.toMatchObject({ code: "conflict" });
    expect(sent).toEqual([]);
  });

  it("a request that breaks while it is sent is unknown too, and the failure is told", async () => {
    const { id, digest } = await hold();
    const broken = async (): Promise<Response> => {
      throw new Error("the socket is gone");
    };
    await expect(
      decide({ approvals, now }, person(), { id, digest, verdict: "approve" }, broken),
    ).rejects.toThrow("the socket is gone");
    expect((await findApproval(approvals, person(), id)).status).toBe("unknown");
  });

  it("a flood of changes is stopped before it hides the one that matters", async () => {
    for (let count = 0; count < 20; count += 1) await hold();
    await expect(hold()).rejects.toMatchObject({ code: "rate-limited" });
    at += 10 * 60_000;
    expect((await hold()).status).toBe("pending");
  });

  it("a server killed while it sends says unknown afterwards, and what only waited still waits", async () => {
    const home = join(opened.home, "killed");
    const program = join(import.meta.dirname, "fixtures/killed-while-sending.ts");
    const { signal, stdout } = spawnSync(bunBinary(), [program, home, opened.url ?? ""], {
      encoding: "utf8",
    });
    expect(signal).toBe("SIGKILL");
    at = Date.now() + 120_000;
    const after = opened.url === undefined ? await reopen(home, now) : approvals;
    const outcomes = (await after.list("tok_1", 9)).map(({ id, target, status }) => [
      id === stdout.trim(),
      target,
      status,
    ]);
    expect(outcomes).toEqual([
      [false, "/learning/8", "pending"],
      [true, "/learning/7", "unknown"],
    ]);
  });
  it(`of servers that decide at the same time one sends, in ${ROUNDS} rounds`, async () => {
    const servers = [approvals, (await opened.another()).approvals, (await opened.another()).approvals];
    for (let round = 0; round < ROUNDS; round++) {
      const { id, digest } = await hold();
      const { sent, send } = sender();
      const results = await Promise.allSettled(
        servers.flatMap((each) =>
          (["approve", "deny"] as const).map((verdict) =>
            decide({ approvals: each, now }, person(), { id, digest, verdict }, send),
          ),
        ),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const { status } = await findApproval(approvals, person(), id);
      expect([status, sent.length]).toEqual(status === "denied" ? ["denied", 0] : ["done", 1]);
    }
  });
});
