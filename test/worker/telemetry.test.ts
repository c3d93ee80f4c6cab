// @module-tag long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findAgentCli } from "../agent-clis.ts";
import { setUpRealAgent } from "../real-agents.ts";
import { startScriptedModel } from "../scripted-model/server.ts";
import { startOtlpReceiver } from "./otlp-receiver.ts";
import { WorkerLab, say } from "./worker-lab.ts";

// What an OpenTelemetry collector hears of a real supervisor, read by the protocol's own definitions.

let lab: WorkerLab;
let collector: Awaited<ReturnType<typeof startOtlpReceiver>>;
beforeEach(async () => {
  lab = new WorkerLab();
  collector = await startOtlpReceiver();
  lab.env = { ...lab.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
});
afterEach(async () => {
  await lab.dispose();
  await collector.stop();
});

const SECRET = "a-task-that-nobody-else-reads";

test("a worker is a trace: the worker, its sessions, their tools, the gates and the verdict", async () => {
  lab.gateOn("done.txt");
  lab.play({
    parts: [
      {
        steps: [
          { do: "usage", contextTokens: 1_000, windowTokens: 100_000, costUsd: 0.25 },
          { do: "run", command: "exit 3" },
          { do: "run", command: "echo 1 > done.txt && git add -A && git commit -qm Done" },
          say("DONE: it is there"),
        ],
      },
    ],
  });
  lab.env = { ...lab.env, OTEL_EXPORTER_OTLP_HEADERS: "x-team=night", OTEL_RESOURCE_ATTRIBUTES: "env=test" };
  const { code } = await lab.worker("start", "docs", "--agent", "scripted", "--task", SECRET, "--max", "2");
  expect(code).toBe(0);
  const state = await lab.ended("docs");
  const spans = collector.spans();
  const named = (name: string) => spans.filter((span) => span.name.startsWith(name));
  const [root] = named("invoke_workflow docs");
  const [session] = named("invoke_agent");
  expect(root).toMatchObject({
    attributes: {
      "gen_ai.operation.name": "invoke_workflow",
      "nightshift.status": state.status,
      "nightshift.run": state.run,
    },
  });
  expect(root?.parentSpanId ?? "").toBe("");
  expect(session).toMatchObject({
    traceId: root?.traceId,
    parentSpanId: root?.spanId,
    attributes: { "gen_ai.operation.name": "invoke_agent", "nightshift.cost_usd": 0.25 },
  });
  const tools = named("execute_tool");
  expect(tools.map(({ parentSpanId }) => parentSpanId)).toEqual(tools.map(() => session?.spanId));
  expect(tools.map(({ status }) => status?.code)).toContain(2);
  for (const name of ["gates", "verdict"]) expect(named(name)[0]?.parentSpanId).toBe(session?.spanId);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  expect(collector.resource()).toMatchObject({ "service.name": "nightshift", env: "test" });
  expect(collector.got[0]?.headers).toMatchObject({ "x-team": "night" });
  const metrics = collector.metrics();
  expect(metrics.filter(({ name }) => name === "nightshift.cost").map(({ value }) => value)).toEqual([0.25]);
  expect(metrics.map(({ name }) => name)).toContain("gen_ai.client.operation.duration");
  for (const { bytes } of collector.got) expect(bytes.toString("latin1")).not.toContain(SECRET);
});

test("a collector that is away, or a protocol that is not spoken, holds nobody up and is said once", async () => {
  await collector.stop();
  lab.play({ parts: [{ steps: [say("DONE: nothing to do")] }] });
  await lab.start("docs", "--max", "1");
  await lab.ended("docs");
  lab.env = { ...lab.env, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
  await lab.start("other", "--max", "1");
  await lab.ended("other");
  const said = (name: string) =>
    readFileSync(join(lab.workers, `${name}.log`), "utf8")
      .split("\n")
      .filter((line) => line.includes("telemetry:"));
  expect(said("docs").length).toBeGreaterThan(0);
  expect(said("docs").length).toBeLessThanOrEqual(3);
  expect(said("other")).toEqual([
    expect.stringContaining("OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported"),
  ]);
  collector = await startOtlpReceiver();
});

test("a collector that takes the connection and never answers does not keep the supervisor from ending", async () => {
  await collector.stop();
  collector = await startOtlpReceiver({ isMute: true });
  lab.env = { ...lab.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  lab.play({ parts: [{ steps: [say("DONE: nothing to do")] }] });
  await lab.start("docs", "--max", "1");
  await lab.ended("docs");
  expect(collector.got.length).toBeGreaterThan(0);
  expect(readFileSync(join(lab.workers, "docs.log"), "utf8")).toContain(
    "telemetry: the collector did not take everything",
  );
});

test.skipIf(findAgentCli("claude") === undefined)(
  "of Claude Code it hears the model, the tool and the tokens by class, and nothing that was said",
  async () => {
    const [said, printed] = ["a-word-of-the-model", "a-word-of-the-tool"];
    const model = await startScriptedModel({
      sessions: [{ turns: [{ run: `echo ${printed}`, contextTokens: 31_000 }, { text: `DONE: ${said}` }] }],
    });
    const agent = await setUpRealAgent("claude", { modelUrl: model.url, windowTokens: 200_000 });
    try {
      lab.env = {
        ...agent.env,
        WORKERS_HOME: lab.workers,
        GIT_CONFIG_GLOBAL: "/dev/null",
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      };
      lab.put("agent.config.json", JSON.stringify({ agents: { claude: agent.settings } }));
      lab.commit(lab.repository, "Configure");
      const asked = await lab.worker("start", "docs", "--agent", "claude", "--task", SECRET, "--max", "1");
      expect(asked).toMatchObject({ code: 0 });
      const [record] = (await lab.ended("docs")).sessions;
      const spans = collector.spans();
      expect(spans.find(({ name }) => name.startsWith("invoke_agent"))?.attributes).toMatchObject({
        "gen_ai.provider.name": "anthropic",
        "gen_ai.response.model": record?.model,
        "gen_ai.conversation.id": record?.conversationId,
      });
      expect(spans.map(({ name }) => name)).toContain("execute_tool Bash");
      const metrics = collector.metrics();
      const byClass = metrics
        .filter(({ name }) => name === "nightshift.tokens")
        .map(({ value, attributes }) => [attributes["nightshift.token.class"], value]);
      const classes = record?.tokensByClass;
      expect(classes?.input).toBeGreaterThan(0);
      expect(Object.fromEntries(byClass)).toEqual({
        input: classes?.input,
        cache_read: classes?.cacheRead,
        cache_write: classes?.cacheWrite,
        output: classes?.output,
      });
      const usage = metrics.filter(({ name }) => name === "gen_ai.client.token.usage");
      expect(usage.map(({ attributes }) => attributes["gen_ai.token.type"])).toEqual(["input", "output"]);
      expect(usage.reduce((sum, { value }) => sum + value, 0)).toBe(record?.tokens);
      for (const { bytes } of collector.got)
        for (const text of [SECRET, said, printed]) expect(bytes.toString("latin1")).not.toContain(text);
    } finally {
      await model.close();
      agent.dispose();
    }
  },
);
