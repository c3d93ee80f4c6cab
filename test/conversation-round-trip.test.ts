// @module-tag long

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openConversation } from "../conversations/find.ts";
import { forgetMessages } from "../conversations/forget.ts";
import { conversationPorts } from "../conversations/ports.ts";
import { searchConversations } from "../conversations/search.ts";
import { undoLast } from "../conversations/undo.ts";
import { type AgentCli, findAgentCli } from "./agent-clis.ts";
import { type RealAgent, setUpRealAgent } from "./real-agents.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model/server.ts";

// Real agents, made to remember something, to forget it, and to remember it again: what counts is what the
// model is sent.

type Block = Record<string, unknown>;

const list = (value: unknown): Block[] => (Array.isArray(value) ? (value as Block[]) : []);

/** Ids of calls and of results in a request, in whichever API it is. */
const toolPairs = (body: Record<string, unknown>): { calls: Set<unknown>; results: Set<unknown> } => {
  const messages = list(body["messages"]);
  const items = list(body["input"]);
  const blocks = messages.flatMap((message) => list(message["content"]));
  const parts = list(body["contents"]).flatMap((content) => list(content["parts"]));
  const idsOf = (name: string) => parts.flatMap((part) => (part[name] ? [(part[name] as Block)["id"]] : []));
  return {
    calls: new Set([
      ...blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id),
      ...messages.flatMap((message) => list(message["tool_calls"])).map(({ id }) => id),
      ...items.filter(({ type }) => String(type).endsWith("_call")).map(({ call_id }) => call_id),
      ...idsOf("functionCall"),
    ]),
    results: new Set([
      ...blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id),
      ...messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id),
      ...items.filter(({ type }) => String(type).endsWith("_call_output")).map(({ call_id }) => call_id),
      ...idsOf("functionResponse"),
    ]),
  };
};

const CLIS: AgentCli[] = ["claude", "claude-newest", "codex", "pi", "pi-newest", "opencode", "gemini"];

describe.each(CLIS)("with the real %s", (id) => {
  let dir = "";
  let model: ScriptedModel;
  let agent: RealAgent;

  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-trip-")));
  });
  afterEach(async () => {
    await model?.close();
    agent?.dispose();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Says something to the agent and gives back the conversation and the last request it made of the model. */
  const say = async (prompt: string, resume?: string) => {
    const session = await agent.driver.start({
      prompt,
      dir,
      settings: agent.settings,
      env: agent.env,
      scratchDir: mkdtempSync(join(dir, "scratch-")),
      ...(resume === undefined ? {} : { resume }),
    });
    let conversation = "";
    for await (const event of session.events) {
      if (event.type === "started") conversation = event.conversationId;
      if (event.type === "ended") expect(event.reason, event.message).toBe("completed");
    }
    await session.end({ graceMs: 500 });
    const body = model.turns().at(-1)?.body ?? {};
    return { conversation, body, sent: JSON.stringify(body) };
  };

  test.skipIf(findAgentCli(id) === undefined)(
    "what is forgotten is not sent, the rest is sent whole, and undo brings it back",
    async () => {
      model = await startScriptedModel({
        sessions: [
          {
            turns: [
              { text: "I look at the first thing.", run: "printf red-%d-herring 42", contextTokens: 3_000 },
              { text: "I look at the second thing.", run: "printf blue-%d-whale 42", contextTokens: 5_000 },
              { text: "Both looked at.", contextTokens: 6_000 },
            ],
            answers: [{ contains: "carry on", turns: [{ text: "Carried on.", contextTokens: 6_500 }] }],
          },
        ],
      });
      agent = await setUpRealAgent(id, { modelUrl: model.url });
      const ports = conversationPorts(agent.env);
      const first = await say("Look at two things, please.");
      expect(first.sent).toContain("red-42-herring");

      const open = await openConversation(`${agent.driver.id}:${first.conversation}`, ports);
      const named = open.conversation.messages.find((message) =>
        message.parts.some(({ kind, text }) => kind === "tool-result" && text.includes("red-42-herring")),
      );
      expect(named?.context).toBe("in");
      const report = await forgetMessages(open, { named: [named?.id ?? ""], ports });
      expect(report.tokensFreed).toBeGreaterThan(0);

      const { conversation: left } = await openConversation(report.result, ports);
      const resumed = left.resumeId ?? left.id;
      const second = await say("Please carry on.", resumed);
      expect(second.sent).toContain("carry on");
      expect(second.sent).not.toContain("red-42-herring");
      expect(second.sent).not.toContain("printf red-");
      expect(second.sent).toContain("blue-42-whale");
      expect(second.sent).toContain("Look at two things, please.");
      expect(second.sent).toContain("Both looked at.");
      const pairs = toolPairs(second.body);
      expect(pairs.calls.size).toBe(1);
      expect(pairs.results).toEqual(pairs.calls);

      const undone = await undoLast(undefined, ports);
      expect(undone.conversation).toBe(`${agent.driver.id}:${open.conversation.id}`);
      const third = await say("Now carry on again.", first.conversation);
      expect(third.sent).toContain("red-42-herring");
      expect(third.sent).toContain("blue-42-whale");
      expect(toolPairs(third.body).calls.size).toBe(2);
      expect(toolPairs(third.body).results).toEqual(toolPairs(third.body).calls);

      const { results } = await searchConversations({ pattern: "red-42-herring", limit: 5 }, ports);
      expect(results.map(({ conversation }) => conversation)).toContain(
        `${agent.driver.id}:${open.conversation.id}`,
      );
    },
  );
});
