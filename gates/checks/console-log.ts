import { type CallExpression, type Expression, type Program, Visitor } from "oxc-parser";

const GLOBALS = new Set(["globalThis", "window", "global", "self"]);

const propertyName = (node: Expression & { type: "MemberExpression" }): string | undefined => {
  const { property } = node;
  if (!node.computed) return property.type === "Identifier" ? property.name : undefined;
  if (property.type === "Literal") return typeof property.value === "string" ? property.value : undefined;
  return property.type === "TemplateLiteral" && property.expressions.length === 0
    ? (property.quasis[0]?.value.cooked ?? undefined)
    : undefined;
};

/** The names that lead to a value: `window.console["log"]` is `window`, `console` and `log`. */
const pathOf = (node: Expression): (string | undefined)[] => {
  if (node.type === "Identifier") return [node.name];
  if (node.type === "MemberExpression") return [...pathOf(node.object), propertyName(node)];
  const isWrapped =
    node.type === "ParenthesizedExpression" ||
    node.type === "ChainExpression" ||
    node.type === "TSAsExpression" ||
    node.type === "TSSatisfiesExpression" ||
    node.type === "TSNonNullExpression" ||
    node.type === "TSTypeAssertion";
  return isWrapped ? pathOf(node.expression) : [undefined];
};

const isConsoleLog = (node: Expression): boolean => {
  const path = pathOf(node);
  const own = path.findIndex((name) => name === undefined || !GLOBALS.has(name));
  return own >= 0 && path.slice(own).join(".") === "console.log";
};

/** A call of `console.log`, also as `window.console.log`, or handed to somebody who calls it: `.then(console.log)`. */
const isLogCall = ({ callee, arguments: given }: CallExpression): boolean =>
  isConsoleLog(callee) ||
  (callee.type === "MemberExpression" &&
    given.some((argument) => argument.type !== "SpreadElement" && isConsoleLog(argument)));

/** Where a source calls `console.log`. One that imports a `console` of its own is left alone. */
export const findConsoleLogs = (program: Program): number[] => {
  const found: number[] = [];
  let isOwn = false;
  new Visitor({
    CallExpression: (node) => {
      if (isLogCall(node)) found.push(node.start);
    },
    ImportDeclaration: ({ specifiers, source }) => {
      if (/^(?:node:)?console$/.test(source.value)) return;
      isOwn ||= specifiers.some(({ local }) => local.name === "console");
    },
  }).visit(program);
  return isOwn ? [] : found;
};
