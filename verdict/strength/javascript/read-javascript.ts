import { linesOf } from "../../../gates/checks/source-facts.ts";
import { findAnswers, findKeys } from "../answers.ts";
import { markLines } from "../line-rules.ts";
import type { Mark, SourceModel } from "../source-model.ts";
import { isTestFile } from "../test-files.ts";
import { lex } from "../tokens.ts";
import { findChain } from "./chain.ts";
import { findDefined, findTests, type Place } from "./find-tests.ts";
import {
  childOf,
  everyNode,
  listOf,
  literalsIn,
  literalText,
  nameOf,
  type Node,
  parse,
  unwrap,
} from "./syntax-tree.ts";

const TYPESCRIPT = /\.[cm]?tsx?$/;
const DIRECTIVE =
  /@ts-(?:ignore|expect-error|nocheck)|eslint-disable|oxlint-disable|biome-ignore|tslint:disable|deno-lint-ignore|(?:istanbul|c8|v8|node:coverage) (?:ignore|disable)|\$Flow(?:FixMe|Ignore)|Stryker disable|NOSONAR/;

/** Comments that tell a checker to look away, and explicit `any`. */
const findLookingAway = (
  program: Node,
  comments: { value: string; start: number }[],
  place: Place,
): Mark[] => {
  const marks: Mark[] = [];
  for (const { value, start } of comments) {
    const text = value.trim();
    if (DIRECTIVE.test(text))
      marks.push({
        kind: "suppression-added",
        line: place(start),
        text,
        message: `tells a checker to look away: ${text.slice(0, 100)}`,
      });
  }
  for (const node of everyNode(program))
    if (node.type === "TSAnyKeyword")
      marks.push({ kind: "any-added", line: place(node.start), text: "any", message: "explicit any" });
  return marks;
};

const readImports = (program: Node): Map<string, string[]> => {
  const imported = new Map<string, string[]>();
  const add = (module: string | undefined, names: (string | undefined)[]): void => {
    if (module === undefined) return;
    const key = JSON.parse(module) as string;
    imported.set(key, [...(imported.get(key) ?? []), ...names.filter((name) => name !== undefined)]);
  };
  for (const node of everyNode(program)) {
    if (node.type === "ImportDeclaration")
      add(
        literalText(childOf(node, "source")),
        listOf(node, "specifiers").map((each) => nameOf(childOf(each, "local"))),
      );
    const required = node.type === "VariableDeclarator" ? unwrap(childOf(node, "init")) : undefined;
    const isDynamic = required?.type === "ImportExpression";
    if (!isDynamic && nameOf(childOf(required, "callee")) !== "require") continue;
    const id = childOf(node, "id");
    const names = [nameOf(id), ...listOf(id, "properties").map((each) => nameOf(childOf(each, "value")))];
    const source = isDynamic ? childOf(required, "source") : listOf(required, "arguments")[0];
    const module = literalText(source);
    if (module?.startsWith('"')) add(module, names);
  }
  return imported;
};

/** `vi.mock("../src/add")`, `jest.spyOn(calc, "add").mockReturnValue(3)`, `mock.method(calc, "add", …)`. */
const findMocked = (program: Node, place: Place): SourceModel["mocked"] =>
  everyNode(program).flatMap((node) => {
    const chain = findChain(node);
    if (!chain || !/^(?:vi|jest|mock|t|sinon|td|mockery|proxyquire|bun|tap|esmock|sandbox)$/.test(chain.root))
      return [];
    const line = place(node.start);
    const step = chain.steps.find(
      ({ name, args }) =>
        args &&
        /^(?:|mock|doMock|unstable_mockModule|module|replace|replaceEsm|registerMock|spyOn|method|stub|fn|rewire)$/.test(
          name,
        ),
    );
    const [first, second] = step?.args ?? [];
    const module = literalText(unwrap(first));
    const name = literalText(unwrap(second));
    if (step?.name === "spyOn" && chain.steps.length < 2) return [];
    if (module?.startsWith('"')) return [{ target: JSON.parse(module) as string, line }];
    return first && name?.startsWith('"')
      ? [{ target: `${nameOf(first) ?? ""}.${JSON.parse(name)}`, line }]
      : [];
  });

export const readJavascript = (file: string, text: string): SourceModel => {
  const tree = parse(file, text);
  const place = linesOf(text);
  const tokens = lex(text, "javascript");
  const imported = readImports(tree.program);
  const isTest = isTestFile(file, "javascript", text);
  const language = TYPESCRIPT.test(file) ? "TypeScript" : "JavaScript";
  const unread: Mark[] = tree.problem
    ? [
        {
          kind: "not-read",
          line: 1,
          text: "not-read",
          message: `not compared, it cannot be parsed: ${tree.problem}`,
        },
      ]
    : [];
  return {
    language,
    isTest,
    tests: isTest ? findTests(tree, place) : [],
    marks: [
      ...unread,
      ...findLookingAway(tree.program, tree.comments, place),
      ...markLines(tokens, { language: "javascript", file, isTest }),
    ],
    defined: findDefined(tree, place),
    imported,
    mocked: isTest ? findMocked(tree.program, place) : [],
    literals: literalsIn(tree.program),
    answers: isTest ? [] : findAnswers(tokens),
    keys: isTest ? [] : findKeys(tokens),
  };
};
