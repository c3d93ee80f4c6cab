import { expect, test } from "vitest";
import { keepRecall, type PastConversations } from "./past-conversations.ts";

test("sessions in quick succession share one search; a later one, another task or a failed one ask again", async () => {
  let elapsedMs = 0;
  let answer: PastConversations = { status: "none" };
  const asked: string[] = [];
  const recall = keepRecall({ elapsed: () => elapsedMs }, async ({ state }) => {
    asked.push(state.task);
    return answer;
  });
  const ask = (task: string) =>
    recall({ state: { task, dir: "/d", agent: "a", sessions: [] }, handoffs: "/h" });
  await ask("mend");
  elapsedMs = 599_000;
  expect(await ask("mend")).toEqual({ status: "none" });
  expect(asked).toEqual(["mend"]);
  answer = { status: "unavailable", problem: "no answer" };
  await ask("paint");
  answer = { status: "found", memories: [] };
  expect(await ask("paint")).toEqual(answer);
  elapsedMs += 600_000;
  await ask("paint");
  expect(asked).toEqual(["mend", "paint", "paint", "paint"]);
});
