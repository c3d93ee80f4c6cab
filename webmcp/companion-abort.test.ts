import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { answer, call, companionWith } from "./fixtures/companion.ts";

test("a caller that goes away aborts what it started", async () => {
  const controller = new AbortController();
  let aborted = false;
  const { handle } = companionWith({
    dispatch: (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => {
          aborted = true;
          reject(new Error("gone"));
        });
        controller.abort();
      }),
  });
  await handle(new Request(call("listBooks", "{}"), { signal: controller.signal }));
  expect(aborted).toBe(true);
});

test("an abort arrives however often memory was collected since the call began", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const controller = new AbortController();
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const { handle } = companionWith({
    dispatch: ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(Response.json("aborted")));
        begin();
      }),
  });
  // Made of the caller's request, as a server makes it, and held by nobody but the companion.
  const answered = handle(new Request(call("listBooks", "{}"), { signal: controller.signal }));
  await begun;
  for (let times = 0; times < 3; times++) {
    collect();
    await new Promise(setImmediate);
  }
  controller.abort();
  expect(await answer(await answered)).toEqual([200, "aborted"]);
});
