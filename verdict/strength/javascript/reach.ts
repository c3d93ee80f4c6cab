import {
  ancestorsOf,
  childOf,
  everyNode,
  isFunction,
  listOf,
  literalText,
  nameOf,
  type Node,
  unwrap,
} from "./syntax-tree.ts";
import { findChain } from "./chain.ts";

const isInside = (node: Node, outer: Node | undefined): boolean =>
  outer !== undefined && outer.start <= node.start && node.end <= outer.end;

const isNever = (node: Node | undefined): boolean =>
  /^(?:false|0|null|undefined|"")$/.test(literalText(unwrap(node)) ?? "");

/** Goes on with the failure, or checks it. */
const isHeeded = (handler: Node): boolean =>
  everyNode(handler).some(
    (node) =>
      node.type === "ThrowStatement" ||
      /^(?:expect|assert|fail|done|reject|t|should)$/.test(findChain(node)?.root ?? "") ||
      /^(?:assert|expect|verify|check|fail)/i.test(nameOf(childOf(node, "callee")) ?? ""),
  );

/** No failure of this comes out of `scope`: it is caught, or never reached. */
export const isSwallowed = (node: Node, scope: Node): boolean => {
  const around = ancestorsOf(node, scope);
  const own = [node, ...around];
  for (const [index, each] of around.entries()) {
    const below = own[index] ?? node;
    if (
      each.type === "IfStatement" &&
      isNever(childOf(each, "test")) &&
      isInside(node, childOf(each, "consequent"))
    )
      return true;
    if (each.type === "LogicalExpression" && each["operator"] === "&&" && isNever(childOf(each, "left")))
      return true;
    if (each.type === "TryStatement" && isInside(node, childOf(each, "block"))) {
      const handler = childOf(each, "handler");
      if (handler && !isHeeded(handler)) return true;
    }
    if (each.type === "ForOfStatement" && listOf(unwrap(childOf(each, "right")), "elements").length === 0)
      if (unwrap(childOf(each, "right"))?.type === "ArrayExpression") return true;
    if (each.type === "BlockStatement") {
      const statements = listOf(each, "body");
      const before = statements.slice(0, statements.indexOf(below));
      if (statements.includes(below) && before.some(({ type }) => type === "ReturnStatement")) return true;
    }
    if (each.type === "CallExpression" && isCaught(each, node)) return true;
  }
  const caught = findChain(node)?.steps.find(({ name, args }) => name === "catch" && args)?.args?.[0];
  if (caught && isFunction(unwrap(caught)) && !isHeeded(caught)) return true;
  const top = own.find(({ parent }) => parent?.type === "ExpressionStatement");
  const called = top?.["operator"] === "void" ? childOf(top, "argument") : top;
  return called?.type === "CallExpression" && isForgotten(called);
};

/** `check().catch(() => {})` */
const isCaught = (call: Node, node: Node): boolean => {
  const callee = childOf(call, "callee");
  if (nameOf(childOf(callee, "property")) !== "catch" || !isInside(node, childOf(callee, "object")))
    return false;
  const handler = unwrap(listOf(call, "arguments")[0]);
  return handler !== undefined && isFunction(handler) && !isHeeded(handler);
};

/** `expect(promise).resolves.toBe(3)`, and nobody waits for it. */
const isForgotten = (call: Node): boolean => {
  const chain = findChain(call);
  return chain?.root === "expect" && chain.steps.some(({ name }) => /^(?:resolves|rejects)$/.test(name));
};
