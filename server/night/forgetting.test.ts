import { afterEach, describe, expect, test } from "vitest";
import { createSilentLog } from "../../core/log.ts";
import { DATABASES } from "../fixtures/test-server.ts";
import { useStores } from "../fixtures/use-stores.ts";
import { batchOf } from "./fixtures/batches.ts";
import { foldBatch } from "./fold.ts";
import { openNight } from "./open-night.ts";

const DAY = 86_400_000;

describe.each(DATABASES)("runs on %s", (database) => {
  const { isMissing, open } = useStores(database);
  let close: (() => void) | undefined;
  afterEach(() => close?.());

  test.skipIf(isMissing)(
    "are forgotten with everything of them when nobody spoke of them for so many days",
    async () => {
      const { night, fleet } = (await open()).stores;
      const put = (id: string, now: number) =>
        night.change(id, (before) =>
          foldBatch(before, batchOf({ run: { id }, events: [{ kind: "handoff", text: "a note" }] }), {
            host: "h",
            worker: id,
            now,
          }),
        );
      await put("run-old-0001", 10 * DAY);
      await put("run-new-0001", 40 * DAY);
      const opened = openNight({
        store: night,
        fleet,
        isShared: false,
        keepDays: 20,
        log: createSilentLog(),
        now: () => 41 * DAY,
      });
      close = opened.close;
      await expect.poll(() => night.find("run-old-0001")).toBeUndefined();
      expect(await night.events("run-old-0001")).toEqual([]);
      expect(await night.find("run-new-0001")).toBeDefined();
      expect(await night.events("run-new-0001")).toHaveLength(1);
    },
  );

  test.skipIf(isMissing)("are folded one batch after the other, however many come at once", async () => {
    const { night } = (await open()).stores;
    const id = "run-busy-0001";
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        night.change(id, (before) =>
          foldBatch(before, batchOf({ run: { id }, stream: `s${at}`, events: [{ kind: "critic-stop" }] }), {
            host: "h",
            worker: "w",
            now: DAY,
          }),
        ),
      ),
    );
    expect((await night.find(id))?.card.criticStops).toBe(20);
    expect(await night.events(id)).toHaveLength(20);
  });
});
