import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import protobuf from "protobufjs";

// The fields of the OpenTelemetry protocol 1.x that are read here, by their published numbers.
const DEFINITIONS = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Status { string message = 2; int32 code = 3; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
}
message ScopeSpans { repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Traces { repeated ResourceSpans resource_spans = 1; }
message NumberPoint { oneof value { double as_double = 4; sfixed64 as_int = 6; } repeated KeyValue attributes = 7; }
message HistogramPoint { fixed64 count = 4; optional double sum = 5; repeated KeyValue attributes = 9; }
message Sum { repeated NumberPoint data_points = 1; }
message Histogram { repeated HistogramPoint data_points = 1; }
message Metric { string name = 1; string unit = 3; Sum sum = 7; Histogram histogram = 9; }
message ScopeMetrics { repeated Metric metrics = 2; }
message ResourceMetrics { repeated ScopeMetrics scope_metrics = 2; }
message Metrics { repeated ResourceMetrics resource_metrics = 1; }
`;
const { root } = protobuf.parse(DEFINITIONS);

type Attributes = { key: string; value: Record<string, string | number | boolean> }[];
type Raw = {
  resourceSpans?: {
    resource: { attributes: Attributes };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes?: Attributes;
        status?: { code?: number };
      }[];
    }[];
  }[];
  resourceMetrics?: {
    scopeMetrics: {
      metrics: {
        name: string;
        unit?: string;
        sum?: { dataPoints: { asDouble: number; attributes?: Attributes }[] };
        histogram?: { dataPoints: { count: string; sum: number; attributes?: Attributes }[] };
      }[];
    }[];
  }[];
};

const plain = (attributes: Attributes = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A collector on loopback that reads what it gets by the protocol's own definitions; a mute one never answers. */
export const startOtlpReceiver = async ({ isMute = false } = {}) => {
  const got: { path: string; headers: Record<string, unknown>; raw: Raw; bytes: Buffer }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = request.url ?? "";
      const bytes = Buffer.concat(parts);
      const type = root.lookupType(path.endsWith("/traces") ? "Traces" : "Metrics");
      const raw = type.toObject(type.decode(bytes), { longs: String, bytes: String }) as Raw;
      got.push({ path, headers: request.headers, raw, bytes });
      if (!isMute) response.writeHead(200).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    resource: () => plain(got.flatMap(({ raw }) => raw.resourceSpans ?? [])[0]?.resource.attributes),
    spans: () =>
      got
        .flatMap(({ raw }) => raw.resourceSpans ?? [])
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map(({ attributes, ...span }) => ({ ...span, attributes: plain(attributes) })),
    metrics: () =>
      got
        .flatMap(({ raw }) => raw.resourceMetrics ?? [])
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics)
        .flatMap(({ name, unit, sum, histogram }) =>
          [...(sum?.dataPoints ?? []), ...(histogram?.dataPoints ?? [])].map((point) => ({
            name,
            unit,
            value: "asDouble" in point ? point.asDouble : point.sum,
            attributes: plain(point.attributes),
          })),
        ),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
