import { withoutUndefined } from "../../core/without-undefined.ts";
import { type Span, SpanKind, SpanStatusCode, type Tracer, context, diag, trace } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { TokenClasses } from "../../agents/token-classes.ts";
import { AppError } from "../../core/errors.ts";
import { hostName } from "../../core/host-name.ts";
import type { Environment } from "../../core/paths.ts";
import { readVersion } from "../../core/version.ts";
import { projectName } from "../state/project-name.ts";
import type { WorkerState } from "../state/worker-state.ts";

type Data = Record<string, unknown>;

/** What a collector is told of a worker. Times are milliseconds since the epoch. */
export type Telemetry = {
  state: (state: WorkerState, at: number) => void;
  event: (type: string, data: Data, at: number) => void;
  /** ends what is open, and sends all that waits */
  close: (at: number) => Promise<void>;
};

/** Where the conventions have a name for who sells the model; else the agent is named. */
const PROVIDERS: Readonly<Record<string, string>> = {
  claude: "anthropic",
  codex: "openai",
  gemini: "gcp.gemini",
};
const PROTOCOL = "http/protobuf";
const FAILED = ["failed", "stalled"];
const BAD_ENDS = ["error", "idle"];
/** The bounds that the conventions give for tokens. Theirs for seconds end at 82, and sessions last hours. */
const TOKEN_BOUNDS = [
  1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
];
const SECOND_BOUNDS = [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14400];

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** @throws AppError for a protocol that is not spoken */
const checkProtocol = (env: Environment): void => {
  for (const name of ["", "TRACES_", "METRICS_"].map((part) => `OTEL_EXPORTER_OTLP_${part}PROTOCOL`))
    if (env[name] !== undefined && env[name] !== PROTOCOL)
      throw new AppError(
        "config",
        `${name}=${env[name]} is not supported; set it to ${PROTOCOL}, which collectors take on port 4318`,
      );
};

const openProviders = (env: Environment) => {
  checkProtocol(env);
  const own = resourceFromAttributes({
    "service.name": env["OTEL_SERVICE_NAME"] ?? "nightshift",
    "service.version": readVersion(),
    "service.instance.id": crypto.randomUUID(),
    "host.name": hostName(env),
  });
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  const wants = (signal: "TRACES" | "METRICS") =>
    env[`OTEL_${signal}_EXPORTER`] !== "none" &&
    Boolean(env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]);
  const tracers = new BasicTracerProvider({
    resource,
    spanProcessors: wants("TRACES") ? [new BatchSpanProcessor(new OTLPTraceExporter())] : [],
  });
  const meters = new MeterProvider({
    resource,
    readers: wants("METRICS")
      ? [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })]
      : [],
  });
  return { tracers, meters };
};

const createMetrics = (meters: MeterProvider) => {
  const meter = meters.getMeter("nightshift", readVersion());
  return {
    tokens: meter.createHistogram("gen_ai.client.token.usage", {
      unit: "{token}",
      advice: { explicitBucketBoundaries: TOKEN_BOUNDS },
    }),
    seconds: meter.createHistogram("gen_ai.client.operation.duration", {
      unit: "s",
      advice: { explicitBucketBoundaries: SECOND_BOUNDS },
    }),
    cost: meter.createCounter("nightshift.cost", { unit: "{USD}" }),
    // The conventions' metric knows input and output alone; what a cache gave is billed at another price.
    tokensByClass: meter.createCounter("nightshift.tokens", { unit: "{token}" }),
  };
};

const usageAttributes = ({ input, cacheRead, cacheWrite, output }: TokenClasses) => ({
  // The conventions count what came from a cache among what went in.
  "gen_ai.usage.input_tokens": input + cacheRead + cacheWrite,
  "gen_ai.usage.cache_read.input_tokens": cacheRead,
  "gen_ai.usage.cache_creation.input_tokens": cacheWrite,
  "gen_ai.usage.output_tokens": output,
});

const fail = (span: Span, type: string): void => {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

/**
 * Tells a worker as spans (worker, session, tool, gates, verdict) and metrics, by the GenAI conventions of
 * OpenTelemetry. No prompt, no output and no text of an agent is among them.
 * @throws AppError `config` for a protocol that is not spoken
 */
export const createTelemetry = (env: Environment, onProblem: (problem: string) => void): Telemetry => {
  const { tracers, meters } = openProviders(env);
  const tracer: Tracer = tracers.getTracer("nightshift", readVersion());
  const metrics = createMetrics(meters);
  const complain = (problem: string) => onProblem(problem);
  diag.setLogger({ error: complain, warn: complain, info: () => {}, debug: () => {}, verbose: () => {} });

  let latest: WorkerState | undefined;
  let root: Span | undefined;
  let session: { span: Span; startedAt: number } | undefined;
  const open = new Map<string, Span>();

  const start = (
    name: string,
    attributes: Record<string, string | number>,
    at: number,
    parent = session?.span ?? root,
  ) =>
    tracer.startSpan(
      name,
      { kind: SpanKind.INTERNAL, startTime: at, attributes },
      parent ? trace.setSpan(context.active(), parent) : context.active(),
    );
  const begin = (key: string, span: Span): void => {
    open.set(key, span);
  };
  const end = (key: string, at: number, describe: (span: Span) => void = () => {}): void => {
    const span = open.get(key);
    if (!span) return;
    open.delete(key);
    describe(span);
    span.end(at);
  };

  const common = (agent: string): Record<string, string> => ({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": PROVIDERS[agent] ?? agent,
  });

  const endSession = (data: Data, at: number): void => {
    for (const key of open.keys()) end(key, at);
    if (!session || !latest) return;
    const { span, startedAt } = session;
    session = undefined;
    const model = textOf(data["model"]);
    const reason = textOf(data["endReason"]);
    const classes = data["tokensByClass"] as TokenClasses | undefined;
    const cost = numberOf(data["costUsd"]);
    const labels = { ...common(latest.agent), ...withoutUndefined({ "gen_ai.response.model": model }) };
    span.setAttributes({
      ...labels,
      ...(classes ? usageAttributes(classes) : {}),
      ...withoutUndefined({
        "gen_ai.conversation.id": textOf(data["conversationId"]),
        "nightshift.end_reason": reason,
        "nightshift.cost_usd": cost,
      }),
    });
    if (reason !== undefined && BAD_ENDS.includes(reason)) fail(span, reason);
    span.end(at);
    metrics.seconds.record((at - startedAt) / 1000, labels);
    if (cost !== undefined) metrics.cost.add(cost, labels);
    if (!classes) return;
    const { input, cacheRead, cacheWrite, output } = classes;
    metrics.tokens.record(input + cacheRead + cacheWrite, { ...labels, "gen_ai.token.type": "input" });
    metrics.tokens.record(output, { ...labels, "gen_ai.token.type": "output" });
    const byClass = { input, cache_read: cacheRead, cache_write: cacheWrite, output };
    for (const [name, count] of Object.entries(byClass))
      metrics.tokensByClass.add(count, { ...labels, "nightshift.token.class": name });
  };

  const EVENTS: Readonly<Record<string, (data: Data, at: number) => void>> = {
    "session-begin": (data, at) => {
      if (!latest) return;
      const attributes = {
        ...common(latest.agent),
        "gen_ai.agent.name": latest.agentTitle,
        "nightshift.session": numberOf(data["session"]) ?? 0,
        ...(latest.model === undefined ? {} : { "gen_ai.request.model": latest.model }),
      };
      session = { startedAt: at, span: start(`invoke_agent ${latest.agentTitle}`, attributes, at, root) };
    },
    "tool-start": ({ id, name }, at) => {
      const attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": String(name),
        "gen_ai.tool.call.id": String(id),
      };
      begin(`tool ${String(id)}`, start(`execute_tool ${String(name)}`, attributes, at));
    },
    "tool-end": ({ id, isError, reason }, at) =>
      end(`tool ${String(id)}`, at, (span) => {
        if (isError === true) fail(span, textOf(reason)?.includes("nightshift critic") ? "critic" : "tool");
      }),
    "gates-begin": ({ when }, at) => begin("gates", start("gates", { "nightshift.when": String(when) }, at)),
    gates: ({ verdict }, at) =>
      end("gates", at, (span) => {
        span.setAttribute("nightshift.verdict", String(verdict));
        if (verdict === "blocked") fail(span, "blocked");
      }),
    "verdict-begin": (_, at) => begin("verdict", start("verdict", {}, at)),
    verdict: ({ word }, at) =>
      end("verdict", at, (span) => {
        span.setAttribute("nightshift.verdict", String(word));
        if (word === "refused") fail(span, "refused");
      }),
    "rate-limit": (_, at) => session?.span.addEvent("rate_limit", {}, at),
    "session-end": endSession,
  };

  return {
    state: (state, at) => {
      latest = state;
      root ??= tracer.startSpan(`invoke_workflow ${state.name}`, {
        kind: SpanKind.INTERNAL,
        startTime: at,
        attributes: {
          "gen_ai.operation.name": "invoke_workflow",
          "gen_ai.workflow.name": state.name,
          "nightshift.project": projectName(state),
          ...(state.run === undefined ? {} : { "nightshift.run": state.run }),
        },
      });
    },
    event: (type, data, at) => EVENTS[type]?.(data, at),
    close: async (at) => {
      endSession({}, at);
      if (root && latest) {
        root.setAttribute("nightshift.status", latest.status);
        if (FAILED.includes(latest.status)) fail(root, latest.status);
        root.end(at);
      }
      await Promise.all([tracers.shutdown(), meters.shutdown()]);
    },
  };
};
