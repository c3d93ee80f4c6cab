import type { TSchema } from "../core/schema.ts";
import type { Node } from "./config-reference.ts";

const INTRO = `// Made from the schema that checks it (\`npx nightshift run docs\` writes it, a test compares it): plain types,
// so that a project needs none of the packages behind the schema to check its own.

/** What a config file says, as \`defineConfig\` types it. */
export type AgentConfig = `;

/** By what it holds, the key of each section at the top: it is written out there alone, and named elsewhere. */
type Sections = ReadonlyMap<string, string>;

const SECTION_INDENT = "  ";

const typeOf = (node: Node, indent: string, sections: Sections): string => {
  if (node.anyOf) return node.anyOf.map((choice) => typeOf(choice, indent, sections)).join(" | ");
  if ("const" in node) return JSON.stringify(node.const);
  const section = node.properties && sections.get(JSON.stringify(node.properties));
  if (section !== undefined && indent !== SECTION_INDENT) return `NonNullable<AgentConfig["${section}"]>`;
  if (node.properties) return objectOf(node, indent, sections);
  const named = Object.values(node.patternProperties ?? {})[0];
  if (named) return `{\n${indent}  [name: string]: ${typeOf(named, `${indent}  `, sections)};\n${indent}}`;
  if (node.type === "array") {
    const item = node.items ? typeOf(node.items, indent, sections) : "unknown";
    return node.items?.anyOf ? `(${item})[]` : `${item}[]`;
  }
  return node.type === "integer" ? "number" : String(node.type ?? "unknown");
};

const objectOf = (node: Node, indent: string, sections: Sections): string => {
  const lines = Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const mark = node.required?.includes(key) === true ? "" : "?";
    const words = child.description?.replaceAll("*/", "*\\/");
    return [
      ...(words === undefined ? [] : [`${indent}  /** ${words} */`]),
      `${indent}  ${key}${mark}: ${typeOf(child, `${indent}  `, sections)};`,
    ];
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
};

const sectionsOf = (schema: Node): Sections =>
  new Map(
    Object.entries(schema.properties ?? {}).flatMap(([key, { properties }]) =>
      properties ? [[JSON.stringify(properties), key]] : [],
    ),
  );

/** core/config/agent-config.ts: the config's type, written out. */
export const renderConfigTypes = (schema: TSchema): string =>
  `${INTRO}${typeOf(schema, "", sectionsOf(schema))};\n`;
