import { childOf, listOf, literalText, nameOf, type Node, unwrap } from "./syntax-tree.ts";

/** `expect(x).not.toBe(3)`: root `expect`, steps ""(x), not, toBe(3). */
export type Chain = { node: Node; root: string; steps: { name: string; args?: Node[] }[] };

const propertyOf = (node: Node): string => {
  const property = childOf(node, "property");
  const literal = node["computed"] === true ? literalText(property) : undefined;
  return literal === undefined ? (nameOf(property) ?? "") : literal.replaceAll('"', "");
};

const readSteps = (wrapped: Node | undefined, steps: Chain["steps"]): string | undefined => {
  const node = unwrap(wrapped);
  if (node?.type === "CallExpression" || node?.type === "TaggedTemplateExpression") {
    const callee = unwrap(childOf(node, "callee") ?? childOf(node, "tag"));
    const root = readSteps(callee, steps);
    const last = steps.at(-1);
    const args = listOf(node, "arguments");
    if (callee?.type === "MemberExpression" && last && last.args === undefined) last.args = args;
    else steps.push({ name: "", args });
    return root;
  }
  if (node?.type === "MemberExpression") {
    const root = readSteps(childOf(node, "object"), steps);
    steps.push({ name: propertyOf(node) });
    return root;
  }
  return node?.type === "ThisExpression" ? "this" : (nameOf(node) ?? (node ? "" : undefined));
};

/** The whole chain of calls and members that ends in this node; undefined where the chain goes on. */
export const findChain = (node: Node): Chain | undefined => {
  if (node.type !== "CallExpression" && node.type !== "MemberExpression") return undefined;
  const parent = node.parent;
  const goesOn =
    (parent?.type === "MemberExpression" && childOf(parent, "object") === node) ||
    (parent?.type === "CallExpression" && childOf(parent, "callee") === node) ||
    parent?.type === "ChainExpression" ||
    parent?.type === "TSNonNullExpression";
  if (goesOn && parent?.type !== "ChainExpression" && parent?.type !== "TSNonNullExpression")
    return undefined;
  const steps: Chain["steps"] = [];
  const root = readSteps(node, steps);
  return root === undefined ? undefined : { node, root, steps };
};
