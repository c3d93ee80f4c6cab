import { textOf, lex } from "../tokens.ts";
import { CHECKS_BY_NAME, type Assertion, type TestCase } from "../source-model.ts";
import { findAssertion, type Origins } from "./assertion.ts";
import { type Chain, findChain } from "./chain.ts";
import { isSwallowed } from "./reach.ts";
import {
  ancestorsOf,
  childOf,
  everyNode,
  isFunction,
  listOf,
  literalText,
  nameOf,
  type Node,
  shapeOf,
  type Tree,
  unwrap,
} from "./syntax-tree.ts";

const TESTS = new Set(["test", "it", "specify", "xit", "xtest", "xspecify", "fit", "ftest"]);
const SUITES = new Set(["describe", "suite", "context", "xdescribe", "xcontext", "fdescribe", "fcontext"]);
const OFF = /^(?:skip|todo|fails|failing|skipIf|runIf|todoIf|if)$/;
const WAIT = /timeout/i;
const RETRY = /^(?:retry|retries|retryTimes|repeats|flaky\w*)$/i;

type Declared = { chain: Chain; isSuite: boolean; title: string; run: Node | undefined; args: Node[] };

export type Place = (offset: number) => number;

/** A call that declares a test or a suite: by its name, and by the function it is given. */
const findDeclared = (chain: Chain): Declared | undefined => {
  const args = chain.steps.at(-1)?.args;
  if (!args) return undefined;
  const isNested = /^(?:t|ctx)$/.test(chain.root) && /^(?:test|it)$/.test(chain.steps[0]?.name ?? "");
  const isSuite = SUITES.has(chain.root) || (TESTS.has(chain.root) && chain.steps[0]?.name === "describe");
  if (!isSuite && !isNested && !TESTS.has(chain.root)) return undefined;
  const modifiers = chain.steps.map(({ name }) => name).filter((name) => name !== "");
  if (
    modifiers.some((name) => /^(?:before|after|beforeEach|afterEach|extend|step|use|setTimeout)$/.test(name))
  )
    return undefined;
  const run = args.map(unwrap).find(isFunction);
  const title = literalText(unwrap(args[0])) ?? "";
  const isTodo = modifiers.includes("todo");
  if (!run && !isTodo && !OFF.test(modifiers.at(-1) ?? "")) return undefined;
  if (!run && title === "") return undefined;
  return { chain, isSuite, title: title || shapeOf(args[0]), run, args };
};

const optionOf = (args: readonly Node[], name: RegExp): Node | undefined =>
  args
    .map(unwrap)
    .filter((node) => node?.type === "ObjectExpression")
    .flatMap((node) => listOf(node, "properties"))
    .find((property) => name.test(nameOf(childOf(property, "key")) ?? ""));

const numberOf = (node: Node | undefined): number | undefined => {
  const text = literalText(unwrap(node));
  return text !== undefined && /^\d/.test(text) ? Number(text) : undefined;
};

/** Why a test or suite does not run, in words. */
const findOff = ({ chain, args }: Declared): string | undefined => {
  const step = chain.steps.find(({ name }) => OFF.test(name));
  if (step) return `.${step.name}`;
  if (chain.root.startsWith("x")) return chain.root;
  const option = optionOf(args, /^(?:skip|todo)$/);
  const value = literalText(unwrap(childOf(option, "value")));
  return option && value !== "false" ? `{ ${nameOf(childOf(option, "key"))} }` : undefined;
};

/** A way out before anything is asserted, and calls that skip from inside. */
const findInnerOff = (run: Node): { how: string; node: Node } | undefined => {
  for (const node of everyNode(run)) {
    const chain = findChain(node);
    const step = chain?.steps.find(({ name, args }) => /^(?:skip|todo)$/.test(name) && args);
    const isContext = chain && /^(?:t|ctx|this|context|test|task)$/.test(chain.root);
    if (isContext && step) return { how: `${chain.root}.${step.name}()`, node };
  }
  for (const statement of listOf(childOf(run, "body"), "body")) {
    if (
      statement.type !== "IfStatement" ||
      everyNode(statement).some((node) => findChain(node)?.root === "expect")
    )
      continue;
    const leaves = everyNode(childOf(statement, "consequent") ?? statement).some(
      ({ type }) => type === "ReturnStatement",
    );
    const asks = shapeOf(childOf(statement, "test"));
    if (leaves && /\b(?:env|platform|argv|version|true)\b|^(?:! )?[A-Z_]{2,}$/.test(asks))
      return { how: "it returns before it checks anything", node: statement };
  }
  return undefined;
};

/** What the constants of a test were made of; what is handed on may have been changed on its way. */
const readOrigins = (scope: Node): Map<string, Node> => {
  const origins = new Map<string, Node>();
  const uses = new Map<string, number>();
  for (const node of everyNode(scope)) {
    const used = node.parent?.type === "CallExpression" ? nameOf(node) : undefined;
    if (used !== undefined) uses.set(used, (uses.get(used) ?? 0) + 1);
  }
  for (const node of everyNode(scope)) {
    if (node.type !== "VariableDeclarator" || node.parent?.["kind"] !== "const") continue;
    const name = nameOf(childOf(node, "id"));
    const init = unwrap(childOf(node, "init"));
    if (name === undefined || !init || isFunction(init)) continue;
    const isObject = /^(?:Object|Array|New)Expression$/.test(init.type);
    if (!isObject || (uses.get(name) ?? 0) <= 1) origins.set(name, init);
  }
  return origins;
};

export const findAssertions = (scope: Node, place: Place, origins: Origins): Assertion[] =>
  everyNode(scope).flatMap((node) => {
    const chain = findChain(node);
    const found = chain ? findAssertion(chain, origins) : undefined;
    if (!found || !chain) return [];
    return [
      { ...found, line: place(node.start), text: shapeOf(node), isSwallowed: isSwallowed(node, scope) },
    ];
  });

const readLimits = (
  args: readonly Node[],
  run: Node | undefined,
): { timeoutMs?: number; retries?: number } => {
  const named = [...args, ...(run ? [run] : [])].flatMap((node) => everyNode(node));
  const values = (pattern: RegExp): number[] =>
    named.flatMap((node) => {
      const property = node.type === "Property" && pattern.test(nameOf(childOf(node, "key")) ?? "");
      const chain = node.type === "CallExpression" ? findChain(node) : undefined;
      const called = chain?.steps.find(({ name, args: given }) => pattern.test(name) && given);
      const value = property
        ? numberOf(childOf(node, "value"))
        : called && /^(?:this|jest|vi|t)$/.test(chain?.root ?? "")
          ? numberOf(called.args?.[0])
          : undefined;
      return value === undefined ? [] : [value];
    });
  const third = numberOf(args.at(-1));
  const timeouts = [...values(WAIT), ...(third === undefined || args.length < 3 ? [] : [third])];
  const retries = values(RETRY);
  return {
    ...(timeouts.length > 0 ? { timeoutMs: Math.max(...timeouts) } : {}),
    ...(retries.length > 0 ? { retries: Math.max(...retries) } : {}),
  };
};

const isLimit = (node: Node): boolean => {
  const key = node.parent?.type === "Property" ? nameOf(childOf(node.parent, "key")) : undefined;
  return key !== undefined && (WAIT.test(key) || RETRY.test(key));
};

/** Every test of a file with what it asserts. */
export const findTests = ({ program, text }: Tree, place: Place): TestCase[] => {
  const declared = new Map<Node, Declared>();
  for (const node of everyNode(program)) {
    const chain = findChain(node);
    const found = chain ? findDeclared(chain) : undefined;
    if (found) declared.set(node, found);
  }
  const outer = readOrigins({
    ...program,
    body: listOf(program, "body").filter(({ type }) => /Variable/.test(type)),
  });
  const tests: TestCase[] = [];
  for (const [node, own] of declared) {
    const around = ancestorsOf(node).flatMap((each) => declared.get(each) ?? []);
    const isDead = isSwallowed(node, program);
    const off =
      [own, ...around].map(findOff).find((how) => how !== undefined) ??
      (isDead ? "it is never reached" : undefined);
    const isFocused = [own, ...around].some(
      ({ chain, args }) =>
        chain.steps.some(({ name }) => name === "only") ||
        /^f(?:it|test|describe|context)$/.test(chain.root) ||
        literalText(unwrap(childOf(optionOf(args, /^only$/), "value"))) === "true",
    );
    if (own.isSuite) continue;
    const { run, args } = own;
    const inner = run ? findInnerOff(run) : undefined;
    const origins = new Map([...outer, ...(run ? readOrigins(run) : [])]);
    const assertions = run ? findAssertions(run, place, origins) : [];
    const nested = run ? everyNode(run).filter((each) => each !== node && declared.has(each)) : [];
    const inNested = new Set(nested.flatMap((each) => everyNode(each)));
    const table = own.chain.steps.flatMap(({ name, args: rows }) =>
      /^(?:each|for)$/.test(name) ? (rows ?? []) : [],
    );
    const nodes = [...(run ? everyNode(run) : []), ...table.flatMap((row) => everyNode(row))];
    tests.push({
      name: [...around.map(({ title }) => title).reverse(), own.title].join(" > "),
      line: place(node.start),
      body: run ? textOf(lex(text.slice(run.start, run.end), "javascript")) : "",
      assertions: assertions.filter(({ text: own_ }) => nested.length === 0 || own_ !== ""),
      literals: nodes
        .filter((each) => !isLimit(each) && !inNested.has(each))
        .flatMap((each) => literalText(each) ?? []),
      calls: nodes.flatMap((each) =>
        each.type === "CallExpression"
          ? (nameOf(unwrap(childOf(each, "callee"))) ?? memberOf(each) ?? [])
          : [],
      ),
      off: off ?? inner?.how,
      offLine: place((inner && off === undefined ? inner.node : node).start),
      isFocused,
      ...readLimits(args, run),
    });
  }
  return tests;
};

const memberOf = (call: Node): string | undefined => {
  const callee = unwrap(childOf(call, "callee"));
  return callee?.type === "MemberExpression" ? nameOf(childOf(callee, "property")) : undefined;
};

/** The functions a file defines, with the number of assertions in each. */
export const findDefined = ({ program }: Tree, place: Place): Map<string, number> => {
  const defined = new Map<string, number>();
  for (const node of everyNode(program)) {
    const isBound = node.type === "VariableDeclarator" && isFunction(unwrap(childOf(node, "init")));
    if (node.type !== "FunctionDeclaration" && !isBound) continue;
    const name = nameOf(childOf(node, "id"));
    if (name === undefined) continue;
    const own = findAssertions(node, place, new Map()).filter(({ strength }) => strength > 0);
    const byName = everyNode(node).filter(
      (each) => each.type === "CallExpression" && CHECKS_BY_NAME.test(nameOf(childOf(each, "callee")) ?? ""),
    );
    defined.set(name, own.length + byName.length);
  }
  return defined;
};
