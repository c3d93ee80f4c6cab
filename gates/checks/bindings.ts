import { type Expression, type Program, Visitor } from "oxc-parser";

/** A name that a source declares, where it holds, and what it was made of as far as that is plain. */
export type Binding = { name: string; scope: Range; from?: Origin };

/** `const { log: say } = console` makes `say` of `console` by the step `log`. */
export type Origin = { of: Expression | { module: string }; steps: readonly string[] };

type Range = { start: number; end: number };
type Pattern = { type: string } & Record<string, unknown>;

const isPattern = (value: unknown): value is Pattern =>
  typeof value === "object" && value !== null && "type" in value;

const plainKey = ({ computed, key }: Pattern): string | undefined => {
  if (computed === true || !isPattern(key)) return undefined;
  const name = key.type === "Identifier" ? key["name"] : key["value"];
  return typeof name === "string" ? name : undefined;
};

const INNER: Record<string, string> = {
  ArrayPattern: "elements",
  AssignmentPattern: "left",
  RestElement: "argument",
  TSParameterProperty: "parameter",
};

/** The names in a pattern of a declaration, each with the properties that lead to it (undefined: not plain). */
const namesIn = (
  pattern: unknown,
  steps: readonly string[] | undefined,
): { name: string; steps: readonly string[] | undefined }[] => {
  if (Array.isArray(pattern)) return pattern.flatMap((part) => namesIn(part, undefined));
  if (!isPattern(pattern)) return [];
  if (pattern.type === "Identifier") return [{ name: String(pattern["name"]), steps }];
  if (pattern.type === "ObjectPattern")
    return (pattern["properties"] as unknown[]).flatMap((property) => {
      if (!isPattern(property) || property.type !== "Property") return namesIn(property, undefined);
      const key = plainKey(property);
      return namesIn(
        property["value"],
        steps === undefined || key === undefined ? undefined : [...steps, key],
      );
    });
  const inner = INNER[pattern.type];
  if (inner === undefined) return [];
  return namesIn(pattern[inner], pattern.type === "AssignmentPattern" ? steps : undefined);
};

export type Bindings = ReadonlyMap<string, readonly Binding[]>;

/** Every name that a source declares itself: variables, parameters, functions, classes, imports. */
export const readBindings = (program: Program): Bindings => {
  const bindings: Binding[] = [];
  const scopes: Range[] = [program];
  const assigned = new Set<string>();
  const here = (): Range => scopes.at(-1) ?? program;
  const bind = (pattern: unknown, of?: Origin["of"], steps: readonly string[] = []): void => {
    for (const found of namesIn(pattern, steps))
      bindings.push({
        name: found.name,
        scope: here(),
        ...(of === undefined || found.steps === undefined ? {} : { from: { of, steps: found.steps } }),
      });
  };
  const open = (node: Range): void => void scopes.push(node);
  const close = (): void => void scopes.pop();
  const openFunction = (node: Range & { type: string; id: unknown; params: unknown }): void => {
    if (node.type === "FunctionDeclaration") bind(node.id);
    open(node);
    bind(node.params);
  };
  new Visitor({
    FunctionDeclaration: openFunction,
    "FunctionDeclaration:exit": close,
    FunctionExpression: openFunction,
    "FunctionExpression:exit": close,
    ArrowFunctionExpression: openFunction,
    "ArrowFunctionExpression:exit": close,
    BlockStatement: open,
    "BlockStatement:exit": close,
    ForStatement: open,
    "ForStatement:exit": close,
    ForOfStatement: open,
    "ForOfStatement:exit": close,
    ForInStatement: open,
    "ForInStatement:exit": close,
    CatchClause: (node) => {
      open(node);
      bind(node.param);
    },
    "CatchClause:exit": close,
    ClassDeclaration: ({ id }) => bind(id),
    // `declare const console: …` says something about the global one and makes no other.
    VariableDeclaration: ({ declarations, declare }) => {
      if (declare !== true) for (const { id, init } of declarations) bind(id, init ?? undefined);
    },
    AssignmentExpression: ({ left }) => {
      for (const { name } of namesIn(left, undefined)) assigned.add(name);
    },
    ImportDeclaration: ({ specifiers, source }) => {
      for (const specifier of specifiers)
        bind(
          specifier.local,
          { module: source.value },
          specifier.type === "ImportSpecifier"
            ? [specifier.imported.type === "Literal" ? specifier.imported.value : specifier.imported.name]
            : [],
        );
    },
  }).visit(program);
  const byName = new Map<string, Binding[]>();
  for (const { from, ...binding } of bindings) {
    // What is given another value later is not plainly what it was made of.
    const own = from === undefined || assigned.has(binding.name) ? binding : { ...binding, from };
    const others = byName.get(binding.name);
    if (others) others.push(own);
    else byName.set(binding.name, [own]);
  }
  return byName;
};

/** What a name means at a place: the innermost declaration around it; undefined for a global. */
export const findBinding = (bindings: Bindings, name: string, at: number): Binding | undefined =>
  bindings
    .get(name)
    ?.filter(({ scope }) => scope.start <= at && at < scope.end)
    .toSorted((one, other) => other.scope.start - one.scope.start || one.scope.end - other.scope.end)[0];
