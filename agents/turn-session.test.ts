import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import type { AgentEvent } from "./driver.ts";
import { startTurnSession } from "./turn-session.ts";

/** An agent that works until it is killed; asked for its note, it says `note` in a process of its own. */
const startAgent = (note: string) =>
  startTurnSession(
    {
      prompt: "work",
      dir: tmpdir(),
      env: { PATH: process.env["PATH"] ?? "" },
      settings: {},
      scratchDir: tmpdir(),
    },
    {
      command: "/bin/sh",
      commandLine: ({ resume }) => ({
        args: ["-c", resume === undefined ? "echo begun; exec sleep 600" : note],
      }),
      createReader: (_, emit) => ({
        onLine: (line) => {
          if (line === "begun") return emit({ type: "started", conversationId: "one" });
          emit({ type: "text", text: line });
          emit({ type: "turn-end", reason: "completed" });
        },
      }),
      interrupt: (process) => void process.end({ graceMs: 0 }),
      interruptGraceMs: 0,
    },
  );

test.each([
  ["echo 'half is done'", "half is done"],
  ["exit 1", undefined],
])("an agent that is killed to stop it writes its note in a second process (%s)", async (script, note) => {
  const session = startAgent(script);
  const events: AgentEvent[] = [];
  for await (const event of session.events) {
    events.push(event);
    if (event.type === "started") await session.stopGently();
  }
  expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
  expect(await session.askForNote({ prompt: "note", timeoutMs: 120_000 })).toBe(note);
  await session.end();
});
