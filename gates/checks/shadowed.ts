import type { Program } from "oxc-parser";
import { Visitor } from "oxc-parser";

type Range = { start: number; end: number };

type Pattern = { type: string; start: number } & Record<string, unknown>;

const isPattern = (value: unknown): value is Pattern =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

/** Where a pattern of a declaration binds the name: `{ a: name }`, `[name]`, `...name` and `name = 1` too. */
const bindingsIn = (pattern: unknown, name: string): number[] => {
  if (Array.isArray(pattern)) return pattern.flatMap((part) => bindingsIn(part, name));
  if (!isPattern(pattern)) return [];
  if (pattern.type === "Identifier") return pattern["name"] === name ? [pattern.start] : [];
  const parts: Record<string, string> = {
    ObjectPattern: "properties",
    Property: "value",
    ArrayPattern: "elements",
    AssignmentPattern: "left",
    RestElement: "argument",
    TSParameterProperty: "parameter",
  };
  const part = parts[pattern.type];
  return part === undefined ? [] : bindingsIn(pattern[part], name);
};

/** The parts of a source in which a global name means something else: a parameter, a variable, an import. */
export const findShadowed = (program: Program, name: string): Range[] => {
  const scopes: Range[] = [program];
  const bindings: number[] = [];
  const scope = (node: Range) => void scopes.push(node);
  const callable = (node: Range & { params: unknown }) => {
    scope(node);
    bindings.push(...bindingsIn(node.params, name));
  };
  const imported = ({ local }: { local: unknown }) => void bindings.push(...bindingsIn(local, name));
  new Visitor({
    FunctionDeclaration: callable,
    FunctionExpression: callable,
    ArrowFunctionExpression: callable,
    BlockStatement: scope,
    ForStatement: scope,
    ForOfStatement: scope,
    ForInStatement: scope,
    CatchClause: (node) => {
      scope(node);
      bindings.push(...bindingsIn(node.param, name));
    },
    VariableDeclarator: ({ id }) => void bindings.push(...bindingsIn(id, name)),
    ImportSpecifier: imported,
    ImportDefaultSpecifier: imported,
    ImportNamespaceSpecifier: imported,
  }).visit(program);
  // The innermost scope around the binding: of all that hold it the one that begins last.
  return bindings.flatMap((at) =>
    scopes
      .filter(({ start, end }) => start <= at && at < end)
      .sort((one, other) => other.start - one.start || one.end - other.end)
      .slice(0, 1),
  );
};
