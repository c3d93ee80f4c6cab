import { expect, test } from "vitest";
import { ALL, describeLearnings, MINUTE } from "./fixtures/describe-learnings.ts";

describeLearnings("adding", (lab) => {
  test("keeps every field, and gives back what it stored", async () => {
    const entry = lab.entryOf({
      type: "failure",
      alternative: "use the other port",
      reason: "the first one is taken",
      source: "run 7",
      project: "kiosk",
      marker: "m-1",
      expiresAt: lab.now + MINUTE,
    });
    const { learning, status } = await lab.learnings.add(entry, {});
    expect(status).toBe("stored");
    expect(learning).toEqual({
      ...entry,
      seq: expect.any(Number),
      writers: 1,
      helpful: 0,
      harmful: 0,
      updatedAt: lab.now,
      verifiedAt: lab.now,
    });
    expect(await lab.learnings.find(entry.id, ALL)).toEqual(learning);
  });

  test("numbers rise and are never used again", async () => {
    const { learning: first } = await lab.add();
    await lab.learnings.remove({ visibility: ALL, id: first.id }, { writer: "ada", purge: true });
    const { learning: second } = await lab.add();
    expect(second.seq).toBeGreaterThan(first.seq);
  });

  test("what says the same is merged: surer, fuller, fresher, and counted once for each writer", async () => {
    const { learning: first } = await lab.add();
    lab.now += MINUTE;
    const again = await lab.add({
      trigger: "Deploying the  Kiosk.",
      confidence: 0.9,
      writer: "bob",
      alternative: "call Zephyr",
      reason: "it bricks",
    });
    expect(again).toEqual({
      status: "merged",
      learning: {
        ...first,
        confidence: 0.9,
        writers: 2,
        alternative: "call Zephyr",
        reason: "it bricks",
        updatedAt: lab.now,
        verifiedAt: lab.now,
      },
    });
    const third = await lab.add({ confidence: 0.1, writer: "bob", alternative: "call Umbra" });
    expect(third.learning).toMatchObject({ confidence: 0.9, writers: 2, alternative: "call Zephyr" });
    expect(await lab.found(["zephyr"])).toEqual([first.id]);
    expect(await lab.found(["umbra"])).toEqual([]);
    await lab.expectExactCounts();
  });

  test.each([
    ["a digit", { learning: "flash the firmware 2 first" }],
    ["the scope", { scope: "other" }],
    ["the project", { project: "kiosk" }],
    ["the type", { type: "failure" }],
    ["the marker", { marker: "m" }],
    ["being ephemeral", { expiresAt: Date.UTC(2027, 0, 1) }],
  ] as const)("what differs in %s is another learning", async (_, extra) => {
    await lab.add();
    expect((await lab.add(extra)).status).toBe("stored");
    expect(await lab.idsOf()).toHaveLength(2);
  });

  test("what has expired is merged with no more", async () => {
    await lab.add({ expiresAt: lab.now + MINUTE });
    lab.now += 2 * MINUTE;
    expect((await lab.add({ expiresAt: lab.now + MINUTE })).status).toBe("stored");
  });

  test("an id that is taken stays with its first owner", async () => {
    const first = await lab.add({ id: "mine" });
    const second = await lab.add({ id: "mine", learning: "something else" });
    expect(first.learning.id).toBe("mine");
    expect(second.learning.id).not.toBe("mine");
    expect((await lab.learnings.find("mine", ALL))?.learning).toBe("flash the firmware first");
  });

  test("the same idempotency key answers with the first result, or refuses another request", async () => {
    const first = await lab.add({}, { idempotencyKey: "k" });
    const again = await lab.add({}, { idempotencyKey: "k" });
    expect(again).toEqual({ status: "replayed", learning: first.learning });
    await expect(lab.add({ learning: "another" }, { idempotencyKey: "k" })).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await lab.add({ writer: "bob" }, { idempotencyKey: "k" })).status).toBe("merged");
    await lab.learnings.remove({ visibility: ALL, id: first.learning.id }, { writer: "ada", purge: false });
    expect((await lab.add({}, { idempotencyKey: "k" })).learning.id).toBe(first.learning.id);
    expect(await lab.idsOf()).toEqual([]);
  });

  test("links are kept once, and one to nothing leaves nothing", async () => {
    const { learning: old } = await lab.add();
    const to = [
      { to: old.id, kind: "supersedes" },
      { to: old.id, kind: "supersedes" },
      { to: old.id, kind: "contradicts" },
    ] as const;
    const { learning: fresh } = await lab.add({ learning: "flash it last" }, { links: to });
    expect(await lab.learnings.linksOf([old.seq])).toEqual([
      { from: fresh.seq, to: old.seq, kind: "contradicts" },
      { from: fresh.seq, to: old.seq, kind: "supersedes" },
    ]);
    await expect(
      lab.add({ learning: "never" }, { links: [{ to: "nobody", kind: "fixes" }] }),
    ).rejects.toMatchObject({
      code: "not-found",
    });
    expect(await lab.idsOf()).toEqual([old.id, fresh.id]);
    await lab.expectExactCounts();
  });

  test("many at once are all there, and one that is refused takes no other with it", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 250 }, (_, at) =>
        lab.add({ trigger: `port ${at}` }, at % 50 === 7 ? { links: [{ to: "nobody", kind: "fixes" }] } : {}),
      ),
    );
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(5);
    expect(await lab.idsOf()).toHaveLength(245);
    await lab.expectExactCounts();
  });
});
