import { type CallExpression, type Expression, type Program, Visitor } from "oxc-parser";
import { type Binding, findBinding, readBindings } from "./bindings.ts";

/** What an expression plainly is. */
type Meaning = "global" | "console" | "log" | undefined;

const GLOBALS = new Set(["globalThis", "window", "global", "self"]);
const CONSOLE_MODULES = new Set(["console", "node:console"]);
/** Who calls the function that is handed to it. */
const CALLERS = new Set(
  "then catch finally forEach map on once addListener addEventListener subscribe tap setTimeout setInterval setImmediate queueMicrotask nextTick".split(
    " ",
  ),
);

const step = (meaning: Meaning, name: string | undefined): Meaning => {
  if (meaning === "global" && name !== undefined)
    return GLOBALS.has(name) ? "global" : name === "console" ? "console" : undefined;
  return meaning === "console" && name === "log" ? "log" : undefined;
};

const propertyName = (node: Expression & { type: "MemberExpression" }): string | undefined => {
  const { property } = node;
  if (!node.computed) return property.type === "Identifier" ? property.name : undefined;
  if (property.type === "Literal") return typeof property.value === "string" ? property.value : undefined;
  return property.type === "TemplateLiteral" && property.expressions.length === 0
    ? (property.quasis[0]?.value.cooked ?? undefined)
    : undefined;
};

/** `(console as Console)!` is `console`. */
const unwrap = (node: Expression): Expression =>
  node.type === "ParenthesizedExpression" ||
  node.type === "ChainExpression" ||
  node.type === "TSAsExpression" ||
  node.type === "TSSatisfiesExpression" ||
  node.type === "TSNonNullExpression" ||
  node.type === "TSTypeAssertion"
    ? unwrap(node.expression)
    : node;

/** Where a source calls `console.log`, whatever name it goes by: `window.console.log`, `const { log } = console`. */
export const findConsoleLogs = (program: Program): number[] => {
  const bindings = readBindings(program);
  const asked = new Set<Binding>();
  const meaningOfName = (name: string, at: number): Meaning => {
    const binding = findBinding(bindings, name, at);
    if (!binding) return name === "console" ? "console" : GLOBALS.has(name) ? "global" : undefined;
    // Asked for while it is being found out: `const log = log`.
    if (!binding.from || asked.has(binding)) return undefined;
    const { of, steps } = binding.from;
    asked.add(binding);
    const start = "module" in of ? (CONSOLE_MODULES.has(of.module) ? "console" : undefined) : meaningOf(of);
    asked.delete(binding);
    const own = "module" in of && steps[0] === "default" ? steps.slice(1) : steps;
    return own.reduce<Meaning>(step, start);
  };
  const meaningOf = (wrapped: Expression): Meaning => {
    const node = unwrap(wrapped);
    if (node.type === "Identifier") return meaningOfName(node.name, node.start);
    if (node.type === "MemberExpression") return step(meaningOf(node.object), propertyName(node));
    return node.type === "CallExpression" ? meaningOfCall(node) : undefined;
  };
  const meaningOfCall = ({ callee, arguments: [first] }: CallExpression): Meaning => {
    if (callee.type === "MemberExpression" && propertyName(callee) === "bind")
      return meaningOf(callee.object) === "log" ? "log" : undefined;
    const isRequire = callee.type === "Identifier" && callee.name === "require";
    return isRequire && first?.type === "Literal" && CONSOLE_MODULES.has(String(first.value))
      ? "console"
      : undefined;
  };
  const isLogCall = (node: CallExpression): boolean => {
    const { callee } = node;
    if (meaningOf(callee) === "log") return true;
    const name =
      callee.type === "MemberExpression"
        ? propertyName(callee)
        : callee.type === "Identifier"
          ? callee.name
          : undefined;
    if (callee.type === "MemberExpression" && (name === "call" || name === "apply"))
      return meaningOf(callee.object) === "log";
    return (
      name !== undefined &&
      CALLERS.has(name) &&
      node.arguments.some((argument) => argument.type !== "SpreadElement" && meaningOf(argument) === "log")
    );
  };
  const found: number[] = [];
  new Visitor({
    CallExpression: (node) => {
      if (isLogCall(node)) found.push(node.start);
    },
  }).visit(program);
  return found;
};
