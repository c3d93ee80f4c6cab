import { type Token, textOf } from "../tokens.ts";

/** A logical line. */
export type Statement = { column: number; tokens: Token[]; line: number };

export const readStatements = (tokens: readonly Token[]): Statement[] => {
  const statements: Statement[] = [];
  let last: Token | undefined;
  for (const token of tokens) {
    if (token.kind === "comment") continue;
    const endLine = last ? last.line + (last.text.match(/\n/g)?.length ?? 0) : 0;
    const isJoined = last?.text === "\\" || token.depth > 0 || /^[)\]}]$/.test(token.text);
    if (last === undefined || (token.line > endLine && !isJoined))
      statements.push({ column: token.column, tokens: [token], line: token.line });
    else statements.at(-1)?.tokens.push(token);
    last = token;
  }
  return statements;
};

export const blockAfter = (statements: readonly Statement[], index: number): Statement[] => {
  const column = statements[index]?.column ?? 0;
  const rest = statements.slice(index + 1);
  const end = rest.findIndex((each) => each.column <= column);
  return end < 0 ? rest : rest.slice(0, end);
};

export const decoratorsOf = (statements: readonly Statement[], index: number): Statement[] => {
  const own = statements[index];
  let from = index;
  while (statements[from - 1]?.tokens[0]?.text === "@" && statements[from - 1]?.column === own?.column)
    from--;
  return statements.slice(from, index);
};

export const first = (statement: Statement | undefined, count = 2): string =>
  textOf(statement?.tokens.slice(0, count) ?? []);

export const nameAt = (statement: Statement): string =>
  statement.tokens[statement.tokens[0]?.text === "async" ? 2 : 1]?.text ?? "";

export const isDef = (statement: Statement): boolean => /^(?:def|async def)\b/.test(first(statement));

/** Statements whose failure goes nowhere: caught and forgotten, behind a `return`, under `if False`. */
export const findSwallowed = (body: readonly Statement[]): Set<Statement> => {
  const swallowed = new Set<Statement>();
  const add = (statements: readonly Statement[]): void => statements.forEach((each) => swallowed.add(each));
  for (const [index, statement] of body.entries()) {
    const text = textOf(statement.tokens);
    if (/^(?:if (?:False|0|None)|while (?:False|0)) :|^for \w+ in (?:\[ \]|\( \)) :/.test(text)) {
      add(blockAfter(body, index));
      swallowed.add(statement);
    }
    if (/^with (?:contextlib \. )?suppress \( (?:AssertionError|Exception|BaseException)/.test(text))
      add(blockAfter(body, index));
    if (/^return\b/.test(text)) {
      const rest = body.slice(index + 1);
      const end = rest.findIndex(({ column }) => column < statement.column);
      add(end < 0 ? rest : rest.slice(0, end));
    }
    if (text !== "try :") continue;
    const tried = blockAfter(body, index);
    const handlers = body.slice(index + 1 + tried.length).filter(({ column }) => column >= statement.column);
    const catches = handlers.findIndex(({ tokens }) =>
      /^except(?: :| \(? ?(?:AssertionError|Exception|BaseException)\b)/.test(textOf(tokens)),
    );
    if (catches < 0) continue;
    const handler = [...blockAfter(handlers, catches), ...(handlers[catches] ? [handlers[catches]] : [])];
    if (!handler.some(({ tokens }) => /\b(?:raise|assert\w*|fail)\b/.test(textOf(tokens)))) add(tried);
  }
  return swallowed;
};
