import { parseSync, visitorKeys } from "oxc-parser";

/** A node of any kind, with its parent; what is asked of it is checked when it is asked. */
export type Node = { type: string; start: number; end: number; parent?: Node; [key: string]: unknown };

export type Tree = {
  program: Node;
  text: string;
  comments: { value: string; start: number }[];
  /** why it could not be parsed, if it could not */
  problem: string | undefined;
};

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

export const childOf = (node: Node | undefined, key: string): Node | undefined => {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
};

export const listOf = (node: Node | undefined, key: string): Node[] => {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

const childrenOf = (node: Node): Node[] =>
  (visitorKeys[node.type] ?? []).flatMap((key) => {
    const child = childOf(node, key);
    return child ? [child] : listOf(node, key);
  });

/** The node and everything below it, outermost first. */
export const everyNode = (node: Node): Node[] => {
  const found: Node[] = [];
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    open.push(...childrenOf(next).reverse());
  }
  return found;
};

export const parse = (file: string, text: string): Tree => {
  const isPlain = /\.[cm]?js$/.test(file);
  const { program, comments, errors } = parseSync(file, text, isPlain ? { lang: "jsx" } : {});
  // The parser's types name every kind of node; here a node is asked by key.
  const root = program as unknown as Node;
  for (const node of everyNode(root)) for (const child of childrenOf(node)) child.parent = node;
  const isEmpty = errors.length > 0 && program.body.length === 0;
  return { program: root, text, comments, problem: isEmpty ? errors[0]?.message : undefined };
};

const WRAPPERS = new Set([
  "ParenthesizedExpression",
  "ChainExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "AwaitExpression",
]);

/** `(await (x as T)!)` is `x`. */
export const unwrap = (node: Node | undefined): Node | undefined =>
  node && WRAPPERS.has(node.type) ? unwrap(childOf(node, "expression") ?? childOf(node, "argument")) : node;

export const nameOf = (node: Node | undefined): string | undefined =>
  node?.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : undefined;

export const ancestorsOf = (node: Node, until?: Node): Node[] => {
  const found: Node[] = [];
  for (let next = node.parent; next && next !== until; next = next.parent) found.push(next);
  return found;
};

export const isFunction = (node: Node | undefined): boolean =>
  node?.type === "ArrowFunctionExpression" ||
  node?.type === "FunctionExpression" ||
  node?.type === "FunctionDeclaration";

/** What a literal says, as it is compared; undefined for what is none. */
export const literalText = (node: Node | undefined): string | undefined => {
  if (node?.type === "Literal")
    return "regex" in node && node["regex"] ? String(node["raw"]) : JSON.stringify(node["value"]);
  if (node?.type === "TemplateElement") {
    const cooked = node["value"];
    const text = typeof cooked === "object" && cooked !== null && "cooked" in cooked ? cooked.cooked : "";
    return text === "" ? undefined : JSON.stringify(text);
  }
  return nameOf(node) === "undefined" ? "undefined" : undefined;
};

/** A node in one line: names, literals, operators and kinds, whatever the layout. */
export const shapeOf = (node: Node | undefined): string =>
  node
    ? everyNode(node)
        .map(
          (each) =>
            nameOf(each) ??
            literalText(each) ??
            (typeof each["operator"] === "string" ? each["operator"] : each.type),
        )
        .join(" ")
    : "";

export const literalsIn = (node: Node): string[] =>
  everyNode(node)
    .filter(({ parent }) => parent?.type !== "ImportDeclaration")
    .flatMap((each) => literalText(each) ?? []);
