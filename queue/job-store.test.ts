import { describe, expect, test } from "vitest";
import { hasPostgres } from "../test/postgres/find-postgres.ts";
import { addJob, type NewJob } from "./add-job.ts";
import { cancelJob, retryJob } from "./change-job.ts";
import { OUTBOX_HOLD_MS } from "./decide-job.ts";
import { listEvents } from "./events.ts";
import { createMemoryStore, type TaskDesk } from "./fixtures/memory-store.ts";
import { useQueue } from "./fixtures/use-queue.ts";
import { createPostgresStore, type JobStore } from "./postgres-store.ts";
import { getRow, toJob } from "./rows.ts";
import type { Claim } from "./job.ts";

type Tried = JobStore &
  TaskDesk & {
    kinds: (id: number) => Promise<string[]> | string[];
    /** lets so much time pass */
    pass: (ms: number) => Promise<void>;
  };

const inMemory = () => {
  const useStore = (): Tried => {
    let now = 1_000_000;
    return { ...createMemoryStore(() => now), pass: async (ms) => void (now += ms) };
  };
  return useStore;
};

const onPostgres = () => {
  const lab = useQueue();
  const useStore = (): Tried => ({
    ...createPostgresStore(lab.queue),
    add: (added) => addJob(lab.queue, added),
    cancel: (id, how) => cancelJob(lab.queue, id, how),
    retry: (id, how) => retryJob(lab.queue, id, how),
    task: async (id) => toJob(await getRow(lab.queue.db, id)),
    kinds: async (id) => (await listEvents(lab.queue.db, id)).map(({ kind }) => kind),
    pass: async (ms) => {
      await lab.queue.db.run(
        `UPDATE queue_tasks SET lease_until = lease_until - $1 * interval '1 millisecond',
           stuck_since = stuck_since - $1 * interval '1 millisecond'`,
        [ms],
      );
      await lab.queue.db.run(
        "UPDATE nightshift_queue_engine.job SET start_after = start_after - $1 * interval '1 millisecond'",
        [ms],
      );
    },
  });
  return useStore;
};

const NEW: NewJob = {
  worker: "docs",
  task: "fix the links",
  repo: "https://git.example/atlas.git",
  dir: undefined,
  host: undefined,
  isInPlace: false,
  priority: 0,
  after: [],
  maxAttempts: 2,
};
const IN_PLACE = { ...NEW, repo: undefined, dir: "/srv/x", isInPlace: true };
const LEASE_MS = 60_000;
const DONE = { state: "complete", reason: "DONE", verdict: "complete" } as const;
const HOUR = 3_600_000;

const describeStore = hasPostgres ? describe : describe.skip;
for (const [where, open, suite] of [
  ["in memory", inMemory, describe],
  ["on PostgreSQL", onPostgres, describeStore],
] as const)
  suite(`the queue ${where}`, () => {
    const useStore = open();
    const claim = (store: Tried, host = "a") => store.claim({ pool: `${host}-1`, host, leaseMs: LEASE_MS });
    const taken = async (store: Tried, host?: string): Promise<Claim> => {
      const found = await claim(store, host);
      if (!found) throw new Error("nothing to take");
      return found;
    };

    test("keeps a result that is to be published for its host, for no attempt, until it is finished once", async () => {
      const store = useStore();
      const { id } = await store.add(NEW);
      const behind = await store.add({ ...NEW, after: [id] });
      const { lease } = await taken(store);
      await store.beginWork(lease);
      await store.beginPublishing(lease, { ...DONE, snapshot: "{}" });
      await store.beginPublishing(lease, DONE); // its first answer was lost
      await store.notePublishing(lease, "not published yet: no");
      expect(await store.task(id)).toMatchObject({
        state: "publishing",
        reason: "not published yet: no",
        phase: undefined,
        attempts: 0,
      });
      expect(await store.task(behind.id)).toMatchObject({ state: "waiting" });
      expect(await store.renew([{ lease, progress: undefined }], LEASE_MS)).toHaveLength(1);
      const ask = (host: string) => store.claimOutbox({ pool: `${host}-2`, host, leaseMs: LEASE_MS });
      expect(await ask("a")).toBeUndefined();
      await store.pass(LEASE_MS + 1_000); // its pool is gone
      expect(await store.sweep()).toEqual([]);
      expect(await claim(store, "b")).toBeUndefined();
      expect(await ask("b")).toBeUndefined();
      expect(await ask("a")).toMatchObject({ claim: { lease }, end: DONE });
      expect(await ask("a")).toBeUndefined();
      await store.leaveOutbox(lease);
      expect(await ask("a")).toMatchObject({ claim: { lease } });
      await store.finish(lease, { ...DONE, branch: "nightshift/docs-1" });
      await store.finish(lease, DONE);
      expect(await store.task(id)).toMatchObject({
        state: "complete",
        branch: "nightshift/docs-1",
        attempts: 0,
      });
      expect((await store.kinds(id)).filter((kind) => kind === "complete")).toHaveLength(1);
      expect((await taken(store)).task.id).toBe(behind.id);
      await expect(store.notePublishing(lease, "late")).rejects.toThrow("is lost");
    });

    test("has work done again whose host is away with its result for too long", async () => {
      const store = useStore();
      const { id } = await store.add(NEW);
      const { lease } = await taken(store);
      await store.beginPublishing(lease, DONE);
      await store.pass(OUTBOX_HOLD_MS);
      expect(await store.sweep()).toEqual([]);
      await store.pass(LEASE_MS + 1_000);
      expect(await store.sweep()).toEqual([id]);
      expect((await taken(store, "b")).task).toMatchObject({ id, attempts: 1 });
      await expect(store.finish(lease, DONE)).rejects.toThrow("is lost");
    });

    test("ends one that is cancelled before it is published, and says where its result is", async () => {
      const store = useStore();
      const { id } = await store.add(NEW);
      const { lease } = await taken(store);
      await store.beginPublishing(lease, DONE);
      await store.cancel(id, { isNow: false });
      expect(await store.task(id)).toMatchObject({
        state: "cancelled",
        reason: "cancelled before its result was pushed; it is on a",
      });
      expect(await store.renew([{ lease, progress: undefined }], LEASE_MS)).toEqual([]);
      await expect(store.finish(lease, DONE)).rejects.toThrow("is lost");
    });

    test("counts no attempt for what could not be prepared, waits longer each time, and gives up after a day", async () => {
      const store = useStore();
      const { id } = await store.add(NEW);
      const waits: (string | undefined)[] = [];
      for (let time = 0; time < 7; time++) {
        await store.giveBack((await taken(store)).lease, { how: "not prepared", why: "no fetch" });
        waits.push((await store.task(id)).reason);
        expect(await claim(store)).toBeUndefined();
        await store.pass(300_000);
      }
      expect(waits.map((reason) => /\d+/.exec(reason ?? "")?.[0])).toEqual([
        "10",
        "20",
        "40",
        "80",
        "160",
        "300",
        "300",
      ]);
      expect(await store.task(id)).toMatchObject({ state: "ready", attempts: 0 });
      await store.beginWork((await taken(store)).lease);
      await store.pass(LEASE_MS + 1_000);
      await store.sweep(); // what was stuck before it worked counts no more
      await store.giveBack((await taken(store)).lease, { how: "not prepared", why: "no fetch" });
      expect((await store.task(id)).reason).toBe("again 10 s after: no fetch");
      await store.pass(25 * HOUR);
      await store.giveBack((await taken(store)).lease, { how: "not prepared", why: "no fetch" });
      expect(await store.task(id)).toMatchObject({
        state: "failed",
        reason: "could not be prepared for a day; the last time: no fetch",
      });
    });

    test("lets the next one into a directory whose turn was cancelled", async () => {
      const store = useStore();
      const [first, second, third] = [
        await store.add(IN_PLACE),
        await store.add(IN_PLACE),
        await store.add(IN_PLACE),
      ];
      const { lease } = await taken(store);
      expect(await claim(store)).toBeUndefined();
      expect((await store.task(third.id)).state).toBe("waiting");
      await store.finish(lease, DONE);
      expect((await store.task(second.id)).state).toBe("ready");
      await store.cancel(second.id, { isNow: false });
      expect(await store.task(first.id)).toMatchObject({ state: "complete" });
      expect((await taken(store)).task.id).toBe(third.id);
    });

    test("fails what breaks off too often, and takes every lost lease back once", async () => {
      const store = useStore();
      const { id } = await store.add(NEW);
      await store.giveBack((await taken(store)).lease, { how: "given back", why: "drained" });
      expect((await store.task(id)).attempts).toBe(0);
      const { lease } = await taken(store);
      await store.pass(LEASE_MS + 1_000);
      expect(await store.sweep()).toEqual([id]);
      expect(await store.sweep()).toEqual([]);
      await expect(store.note(lease, { handoff: "late" })).rejects.toThrow("is lost");
      await store.giveBack((await taken(store)).lease, { how: "broken off", why: "killed" });
      expect(await store.task(id)).toMatchObject({
        state: "failed",
        reason: "2 runs broke off; the last one: killed",
      });
      expect(await store.kinds(id)).toEqual([
        "added",
        "taken",
        "given back",
        "taken",
        "lost",
        "taken",
        "broken off",
        "failed",
      ]);
    });

    test("tells whoever goes on which runs count: none of before a new beginning, none of before another try for its limits", async () => {
      const store = useStore();
      const { id } = await store.add({ ...NEW, maxAttempts: 1 });
      const first = await taken(store);
      expect(first).toMatchObject({ freshFrom: 0, retriedFrom: 0 });
      await store.giveBack(first.lease, { how: "broken off", why: "killed", snapshot: "{}" });
      await store.retry(id, { isFresh: false });
      const second = await taken(store);
      expect(second).toMatchObject({ snapshot: "{}", freshFrom: 0, retriedFrom: first.lease.token });
      await store.giveBack(second.lease, { how: "broken off", why: "killed" });
      await store.retry(id, { isFresh: true });
      const third = await taken(store);
      expect(third.snapshot).toBeUndefined();
      expect(third.freshFrom).toBeGreaterThan(second.lease.token);
      expect(third.lease.token).toBeGreaterThanOrEqual(third.freshFrom);
      expect(await store.findOpen([id, 999])).toEqual([id]);
    });

    test("cancels a running one through its renewal, also when its host is lost before it stops", async () => {
      const store = useStore();
      const { id } = await store.add(NEW);
      const { lease } = await taken(store);
      await store.cancel(id, { isNow: true });
      expect(await store.renew([{ lease, progress: undefined }], LEASE_MS)).toEqual([
        { lease, cancel: "now" },
      ]);
      await store.pass(LEASE_MS + 1_000);
      expect(await store.sweep()).toEqual([id]);
      expect(await store.task(id)).toMatchObject({ state: "cancelled" });
      await expect(store.cancel(id, { isNow: true })).rejects.toThrow("has ended already");
    });
  });
