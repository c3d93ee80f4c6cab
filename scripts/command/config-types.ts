import type { TSchema } from "../../core/schema.ts";

type Node = TSchema & {
  properties?: Record<string, Node>;
  patternProperties?: Record<string, Node>;
  required?: string[];
  anyOf?: Node[];
  items?: Node;
  const?: unknown;
};

const INTRO = `// Made from the schema that checks it (\`npx nightshift run docs\` writes it, a test compares it): plain types,
// so that a project needs none of the packages behind the schema to check its own.

/** What a config file says, as \`defineConfig\` types it. */
export type AgentConfig = `;

const typeOf = (node: Node, indent: string): string => {
  if (node.anyOf) return node.anyOf.map((choice) => typeOf(choice, indent)).join(" | ");
  if ("const" in node) return JSON.stringify(node.const);
  if (node.properties) return objectOf(node, indent);
  const named = Object.values(node.patternProperties ?? {})[0];
  if (named) return `{\n${indent}  [name: string]: ${typeOf(named, `${indent}  `)};\n${indent}}`;
  if (node.type === "array") {
    const item = node.items ? typeOf(node.items, indent) : "unknown";
    return node.items?.anyOf ? `(${item})[]` : `${item}[]`;
  }
  return node.type === "integer" ? "number" : String(node.type ?? "unknown");
};

const objectOf = (node: Node, indent: string): string => {
  const lines = Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const mark = node.required?.includes(key) === true ? "" : "?";
    const words = child.description?.replaceAll("*/", "*\\/");
    return [
      ...(words === undefined ? [] : [`${indent}  /** ${words} */`]),
      `${indent}  ${key}${mark}: ${typeOf(child, `${indent}  `)};`,
    ];
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
};

/** core/config/agent-config.ts: the config's type, written out. */
export const renderConfigTypes = (schema: TSchema): string => `${INTRO}${typeOf(schema, "")};\n`;
