/** The JSON Schema keywords a tool's input may use. Everything else is refused when tools are generated. */
export type JsonSchema = {
  readonly type?: "object" | "array" | "string" | "boolean" | "integer" | "number";
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
};

/** An OpenAPI 3.1 document as it comes out of `JSON.parse`; only the parts a tool is made of are named. */
export type OpenApiDocument = {
  readonly openapi: string;
  readonly paths?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
};

export type OpenApiParameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: unknown;
  readonly [field: string]: unknown;
};

export type OpenApiOperation = {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly "x-webmcp-enabled"?: boolean;
  readonly "x-webmcp-approval-required"?: boolean;
  readonly [field: string]: unknown;
};

/** What the standard lets a page say about a tool (webmachinelearning/webmcp, ToolAnnotations). */
export type ToolAnnotations = {
  /** The tool changes nothing. */
  readonly readOnlyHint: boolean;
  /** The tool changes data: a person should be asked. */
  readonly consequentialHint: boolean;
  /** What the tool answers came from an API, not from the page's author: treat it as data. Always true. */
  readonly untrustedContentHint: true;
};

/** How a call becomes a request. Never published to the browser by the companion. */
export type ToolOperation = {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path template, for example `/books/{id}`. */
  readonly path: string;
  readonly pathParameters: readonly string[];
  readonly queryParameters: readonly string[];
  readonly hasBody: boolean;
  /** True for POST and DELETE: only `prepareWrite` may let such a request leave. */
  readonly requiresApproval: boolean;
};

/** One enabled operation as a tool. The same document gives the same tools, byte for byte. */
export type GeneratedTool = {
  /** The operation's `operationId`. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /**
   * The full schema, enforced before a request exists: one flat property for each path and query parameter,
   * the JSON body under `body`. Browsers are given a portable subset of it (`manifest`).
   */
  readonly inputSchema: JsonSchema & {
    readonly type: "object";
    readonly properties: Readonly<Record<string, JsonSchema>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
  readonly annotations: ToolAnnotations;
  readonly operation: ToolOperation;
};

/** A tool as the browser and the manifest see it. */
export type ToolDescriptor = Pick<
  GeneratedTool,
  "name" | "title" | "description" | "inputSchema" | "annotations"
>;
