import { beforeEach, expect, test } from "vitest";
import type { SiteFeed, SiteState } from "../publishing/site-feed.ts";
import { type SiteWatch, watchSites } from "./site-watch.ts";

/** A database that is changed by hand, and messages that are sent or lost. */
const open = async () => {
  const states = new Map<string, SiteState>();
  const live = new Map<string, string | undefined>();
  const refreshed: string[] = [];
  const errors: unknown[] = [];
  const feed = { isAway: false, tell: (_site: string) => {}, gap: () => {} };
  const readStates: SiteFeed["readStates"] = async (names) => {
    if (feed.isAway) throw new Error("away");
    return new Map([...states].filter(([name]) => names.includes(name)));
  };
  const watch: SiteWatch = await watchSites(
    {
      directory: {
        remembered: () => [...live.keys()],
        liveId: (site) => live.get(site),
        refresh: async (site) => {
          refreshed.push(site);
          live.set(site, states.get(site)?.active);
        },
      },
      feed: {
        readStates,
        listen: async ({ onMessage, onGap }) => {
          feed.tell = onMessage;
          feed.gap = onGap;
          return { stop: async () => {} };
        },
      },
      onError: (error) => errors.push(error),
    },
    { everyMs: 3_600_000 },
  );
  return { states, live, refreshed, errors, feed, watch };
};

let lab: Awaited<ReturnType<typeof open>>;
beforeEach(async () => {
  lab = await open();
  return () => lab.watch.stop();
});

test("takes over what a message says, and asks nothing about sites that nobody visits here", async () => {
  const { states, live, refreshed, feed } = lab;
  states.set("docs", { version: 1, active: "a" });
  live.set("docs", "a");
  states.set("docs", { version: 2, active: "b" });
  feed.tell("docs");
  feed.tell("other");
  await expect.poll(() => refreshed).toEqual(["docs"]);
  expect(live.get("docs")).toBe("b");
});

test("finds what changed without a message: replaced, deleted, made again, back to what it was", async () => {
  const { states, live, refreshed, watch } = lab;
  states.set("docs", { version: 1, active: "a" });
  live.set("docs", "a");
  await watch.check();
  expect(refreshed).toEqual([]);
  const changes: (SiteState | undefined)[] = [
    { version: 2, active: "b" },
    { version: 4, active: "b" },
    undefined,
    { version: 0, active: undefined },
    { version: 1, active: "a" },
  ];
  for (const state of changes) {
    if (state) states.set("docs", state);
    else states.delete("docs");
    await watch.check();
    expect(live.get("docs")).toBe(state?.active);
  }
  expect(refreshed).toHaveLength(changes.length);
  await watch.check();
  expect(refreshed).toHaveLength(changes.length);
});

test("does not do again what its own activation has done", async () => {
  const { states, live, refreshed, feed, watch } = lab;
  live.set("docs", "a");
  states.set("docs", { version: 2, active: "b" });
  await watch.refresh("docs");
  feed.tell("docs");
  await watch.check();
  expect(refreshed).toEqual(["docs"]);
});

test("goes on with what it knows while the database is unavailable, and catches up when it is back", async () => {
  const { states, live, refreshed, errors, feed } = lab;
  live.set("docs", "a");
  feed.isAway = true;
  feed.gap();
  await expect.poll(() => errors.length).toBe(1);
  expect([live.get("docs"), refreshed]).toEqual(["a", []]);
  feed.isAway = false;
  states.set("docs", { version: 9, active: "z" });
  feed.gap();
  await expect.poll(() => live.get("docs")).toBe("z");
});
