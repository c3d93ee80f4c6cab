import type { TSchema } from "../core/schema.ts";

/** A schema of the config, as it is walked. */
export type Node = TSchema & {
  properties?: Record<string, Node>;
  patternProperties?: Record<string, Node>;
  required?: string[];
  anyOf?: Node[];
  items?: Node;
  const?: unknown;
};

type Row = { path: string; type: string; description: string };

const INTRO = `# What can the config say?

Made from the schema that checks it (\`npx nightshift run docs\` writes it, a test compares it).

\`agent.config.{ts,mts,js,mjs,json,yaml,yml}\`, or \`agent\` in package.json, from the working directory up to the project's root. Every command works without one. An unknown key is refused with the nearest known one; every fault is listed at once; exit code 78.

\`\`\`ts
// agent.config.ts
import { defineConfig } from "nightshift";

export default defineConfig({
  workers: { docs: { task: "Bring docs/ up to date with the code", max: 5 } },
  gates: { test: { command: "npm test", inputs: ["src/**", "package-lock.json"] } },
});
\`\`\`

Pages: [gates](gates.md), [critic](critic.md), [tasks](tasks.md), [CI](ci.md).
`;

const typeOf = (node: Node): string => {
  if (node.anyOf)
    return node.anyOf
      .map((choice) => ("const" in choice ? JSON.stringify(choice.const) : typeOf(choice)))
      .join(" or ");
  if (node.type === "array") return `list of ${node.items ? typeOf(node.items) : "values"}`;
  return String(node.type ?? "value");
};

const limitsOf = (node: Node): string => {
  const words: [string, string][] = [
    ["minimum", "at least"],
    ["exclusiveMinimum", "more than"],
    ["maximum", "at most"],
    ["default", "default"],
  ];
  return words
    .flatMap(([key, word]) => (node[key] === undefined ? [] : [`${word} ${JSON.stringify(node[key])}`]))
    .join(", ");
};

const rowsOf = (node: Node, path: string): Row[] => {
  const inner = node.type === "array" && node.items ? node.items : node;
  const at = node.type === "array" ? `${path}[]` : path;
  const isRequired = (key: string) => inner.required?.includes(key) === true;
  const properties = Object.entries(inner.properties ?? {});
  const named = Object.values(inner.patternProperties ?? {});
  return [
    ...properties.flatMap(([key, child]): Row[] => {
      const limits = limitsOf(child);
      const description = [child.description ?? "", isRequired(key) ? "required" : "", limits]
        .filter((text) => text !== "")
        .join("; ");
      const isLeaf = !child.properties && !child.patternProperties && !(child.items?.properties ?? false);
      const own: Row[] =
        isLeaf || child.description
          ? [{ path: `${at}.${key}`, type: isLeaf ? typeOf(child) : "", description }]
          : [];
      return [...own, ...rowsOf(child, `${at}.${key}`)];
    }),
    ...named.flatMap((child) => rowsOf(child, `${at}.<name>`)),
  ];
};

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** docs/config.md: one table a section, out of the schema itself. */
export const renderConfigReference = (schema: TSchema): string => {
  const sections = Object.entries((schema as Node).properties ?? {}).map(([key, node]) => {
    const rows = rowsOf(node, key);
    const all =
      rows.length > 0
        ? rows
        : [
            {
              path: key,
              type: typeOf(node),
              description: [node.description ?? "", limitsOf(node)].filter(Boolean).join("; "),
            },
          ];
    return [
      `## ${key}`,
      "",
      ...(node.description && rows.length > 0 ? [`${node.description}.`, ""] : []),
      "| key | type | meaning |",
      "|---|---|---|",
      ...all.map((row) => `| \`${cell(row.path)}\` | ${cell(row.type)} | ${cell(row.description)} |`),
    ].join("\n");
  });
  return `${INTRO}\n${sections.join("\n\n")}\n`;
};
