import type { Assertion } from "../source-model.ts";
import type { Chain } from "./chain.ts";
import {
  childOf,
  everyNode,
  listOf,
  literalsIn,
  literalText,
  nameOf,
  type Node,
  shapeOf,
  unwrap,
} from "./syntax-tree.ts";

/** What an identifier of a test was made of, where that is plain. */
export type Origins = ReadonlyMap<string, Node>;

type Held = Pick<Assertion, "strength" | "problem" | "isConstant"> & { without?: Node[] };

const IDLE: Held = { strength: 0, isConstant: true, problem: "compares constants with each other" };

const EXISTS =
  /^(?:toBeDefined|toBeTruthy|toBeFalsy|toBeUndefined|ok|isOk|exist|exists|truthy|falsy|pass|notThrows|doesNotThrow|doesNotReject|toBeInTheDocument|toHaveReturned|isDefined|isNotNull|isNotOk|notEqual|notStrictEqual|notDeepEqual|notDeepStrictEqual|not)$/;
const PARTIAL =
  /(?:Contain|Match|match|Greater|Less|CloseTo|closeTo|approximately|Property|property|InstanceOf|instanceOf|instanceof|include|above|below|least|most|within|TypeOf|isA|^an?$|HaveBeenCalled$|toHaveBeenCalledTimes|notMatch|oneOf|satisfies)/;
const SNAPSHOT = /Snapshot$/;
const THROWS = /^(?:toThrow|toThrowError|throws|rejects|throw)(?:Async)?$/;
const MODIFIERS = new Set(
  "not to be been is that which and has have with at of same but does still also deep strict a an resolves rejects nested own any all soft".split(
    " ",
  ),
);

const follow = (node: Node | undefined, origins: Origins): Node | undefined => {
  const plain = unwrap(node);
  return origins.get(nameOf(plain) ?? "") ?? plain;
};

/** Made of literals alone, or true whatever the rest is. */
const isConstant = (wrapped: Node | undefined, origins: Origins, depth = 0): boolean => {
  const node = follow(wrapped, origins);
  if (!node || depth > 8) return false;
  const both = (one: string, other: string): boolean =>
    isConstant(childOf(node, one), origins, depth + 1) &&
    isConstant(childOf(node, other), origins, depth + 1);
  if (literalText(node) !== undefined) return true;
  if (node.type === "TemplateLiteral") return listOf(node, "expressions").length === 0;
  if (node.type === "UnaryExpression") return isConstant(childOf(node, "argument"), origins, depth + 1);
  if (node.type === "BinaryExpression") return both("left", "right") || isSame(node, origins);
  if (node.type === "LogicalExpression")
    return both("left", "right") || (node["operator"] === "||" && isTrue(childOf(node, "right")));
  if (node.type === "ArrayExpression")
    return listOf(node, "elements").every((item) => isConstant(item, origins, depth + 1));
  if (node.type === "ObjectExpression")
    return listOf(node, "properties").every((item) => isConstant(childOf(item, "value"), origins, depth + 1));
  return false;
};

const isTrue = (node: Node | undefined): boolean =>
  /^(?:true|[1-9]\d*|"(?!")[^]*")$/.test(literalText(unwrap(node)) ?? "");

const shape = (wrapped: Node | undefined, origins: Origins): string => shapeOf(follow(wrapped, origins));

const isSame = (node: Node, origins: Origins): boolean =>
  shape(childOf(node, "left"), origins) === shape(childOf(node, "right"), origins);

const holdEqual = (actual: Node | undefined, expected: Node | undefined, origins: Origins): Held => {
  const [one, other] = [literalText(unwrap(actual)), literalText(unwrap(expected))];
  if (one !== undefined && other !== undefined && one !== other) return { strength: 2 };
  if (isConstant(actual, origins) && isConstant(expected, origins)) return IDLE;
  if (actual && expected && shape(actual, origins) === shape(expected, origins)) {
    const calls = everyNode(follow(actual, origins) ?? actual).some(({ type }) => type === "CallExpression");
    const problem = calls ? "expects what the code itself answers" : "compares a value with itself";
    return { strength: 0, isConstant: !calls, problem };
  }
  const wanted = unwrap(expected);
  const text = wanted ? shape(wanted, new Map()) : "";
  return /^CallExpression MemberExpression expect (?:any|anything)\b/.test(text)
    ? { strength: 1, without: wanted ? [wanted] : [] }
    : { strength: 3 };
};

/** What a condition holds that has to be true. */
const holdCondition = (wrapped: Node | undefined, origins: Origins): Held => {
  const node = unwrap(wrapped);
  if (/^(?:false|0|null)$/.test(literalText(node) ?? "")) return { strength: 2 };
  if (isConstant(node, origins)) return { strength: 0, isConstant: true, problem: "is always true" };
  if (node?.type === "BinaryExpression") {
    const operator = String(node["operator"]);
    if (/^===?$/.test(operator)) {
      const isType = unwrap(childOf(node, "left"))?.["operator"] === "typeof";
      return isType ? { strength: 1 } : holdEqual(childOf(node, "left"), childOf(node, "right"), origins);
    }
    return { strength: operator.startsWith("!") ? 1 : 2 };
  }
  if (node?.type === "LogicalExpression") {
    const sides = [
      holdCondition(childOf(node, "left"), origins),
      holdCondition(childOf(node, "right"), origins),
    ];
    const strengths = sides.map(({ strength }) => strength);
    const strength = node["operator"] === "&&" ? Math.max(...strengths) : Math.min(...strengths, 2);
    return { strength: strength as Held["strength"] };
  }
  return { strength: 1 };
};

const holdExpect = ({ steps }: Chain, origins: Origins): Held => {
  const subject = steps.find(({ args }) => args !== undefined)?.args?.[0];
  const checks = steps.slice(1).filter(({ name, args }) => args !== undefined || !MODIFIERS.has(name));
  const matcher = checks.at(-1);
  const isNegated = steps.some(({ name }) => name === "not");
  if (!matcher || steps.length < 2) return { strength: 0, problem: "expects nothing: it has no matcher" };
  const [expected] = matcher.args ?? [];
  const isTruth = /^(?:toBeTruthy|true|ok|toBeDefined|exist)$/.test(matcher.name);
  if (isNegated) {
    const isIdle = isConstant(subject, origins) && (expected === undefined || isConstant(expected, origins));
    return isIdle ? IDLE : { strength: 1 };
  }
  if (isTruth || (matcher.name === "toBe" && literalText(unwrap(expected)) === "true")) {
    const held = holdCondition(subject, origins);
    if (held.strength === 0 || matcher.name !== "toBe") return held;
    return held.strength === 1 && unwrap(subject)?.type !== "BinaryExpression" ? { strength: 3 } : held;
  }
  if (EXISTS.test(matcher.name)) return { strength: 1 };
  if (SNAPSHOT.test(matcher.name)) return { strength: 3 };
  if (THROWS.test(matcher.name)) return { strength: expected === undefined ? 2 : 3 };
  if (PARTIAL.test(matcher.name)) {
    const idle = isConstant(subject, origins) && expected !== undefined && isConstant(expected, origins);
    return idle ? IDLE : { strength: 2 };
  }
  if (unwrap(subject)?.["operator"] === "typeof") return { strength: 1 };
  return matcher.args === undefined || expected === undefined
    ? { strength: 3 }
    : holdEqual(subject, expected, origins);
};

const holdAssert = ({ steps }: Chain, origins: Origins): Held => {
  const call = steps.findLast(({ args }) => args !== undefined);
  const [first, second, third, ...more] = call?.args ?? [];
  const name = call?.name ?? "";
  const message = (from: (Node | undefined)[]): Node[] => from.filter((node) => node !== undefined);
  if (/^(?:|ok|true|isTrue|truthy|assert|isOk)$/.test(name))
    return { ...holdCondition(first, origins), without: message([second]) };
  if (name === "fail") return { strength: 2, without: message([first]) };
  if (EXISTS.test(name)) return { strength: 1, without: message([third]) };
  if (THROWS.test(name)) {
    const isMessage = second === undefined || typeof second["value"] === "string";
    return { strength: isMessage ? 2 : 3, without: isMessage ? message([second]) : message([third]) };
  }
  if (PARTIAL.test(name)) return { strength: 2, without: message([third]) };
  if (second === undefined) return { strength: 3 };
  return { ...holdEqual(first, second, origins), without: message([third, ...more]) };
};

const TEST_CONTEXT =
  /^(?:is|not|deepEqual|notDeepEqual|like|equal|equals|same|strictSame|ok|notOk|true|false|truthy|falsy|throws|throwsAsync|notThrows|rejects|match|regex|snapshot|assert|pass|fail)$/;

const findHeld = (chain: Chain, origins: Origins): Held | undefined => {
  const { root, steps } = chain;
  const [first] = steps;
  if (root === "expect")
    return /^(?:assertions|hasAssertions|extend|addSnapshotSerializer|unreachable|any|anything|objectContaining|arrayContaining|stringContaining|stringMatching|closeTo)$/.test(
      first?.name ?? "",
    )
      ? undefined
      : holdExpect(chain, origins);
  if (!steps.some(({ args }) => args !== undefined) && !steps.some(({ name }) => name === "should"))
    return undefined;
  if (root === "assert" || root === "chai") return holdAssert(chain, origins);
  if (/^(?:t|ctx|test|context)$/.test(root) && TEST_CONTEXT.test(first?.name ?? ""))
    return holdAssert(first?.name === "assert" ? { ...chain, steps: steps.slice(1) } : chain, origins);
  if (steps.some(({ name, args }) => name === "expect" && args)) return { strength: 3 };
  return steps.some(({ name }) => name === "should") ? { strength: 3 } : undefined;
};

/** What a chain of calls asserts, if it asserts anything. */
export const findAssertion = (
  chain: Chain,
  origins: Origins,
): Omit<Assertion, "line" | "text"> | undefined => {
  const held = findHeld(chain, origins);
  if (!held) return undefined;
  const { without = [], ...found } = held;
  const left = new Set(without.flatMap((node) => everyNode(node)));
  const expectMessage = chain.root === "expect" ? chain.steps[0]?.args?.[1] : undefined;
  for (const node of expectMessage ? everyNode(expectMessage) : []) left.add(node);
  const own = everyNode(chain.node).filter((node) => !left.has(node));
  const literals = own.flatMap((node) => literalText(node) ?? []);
  // What a name stands for is a part of what is expected.
  const named = own.flatMap((node) => {
    const origin = origins.get(nameOf(node) ?? "");
    return origin ? literalsIn(origin) : [];
  });
  return { ...found, literals: [...literals, ...named], direct: literals };
};
