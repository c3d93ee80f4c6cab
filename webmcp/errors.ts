/** One reason why an operation cannot be a tool, and the smallest edit that takes the reason away. */
export type CompileProblem = {
  /** Method and path, for example `PUT /books/{id}`; empty for a problem of the whole document. */
  operation: string;
  /** JSON pointer into the document. */
  pointer: string;
  /** A short, stable word for the rule, for example `reference` or `open-object`. */
  rule: string;
  message: string;
  fix: string;
};

/** Thrown by `generateTools`: every problem of every enabled operation at once. */
export class WebMcpCompileError extends Error {
  readonly problems: readonly CompileProblem[];

  constructor(problems: readonly CompileProblem[]) {
    const lines = problems.map(
      ({ operation, pointer, message, fix }) =>
        `  ${operation || "document"} at ${pointer}: ${message}. ${fix}.`,
    );
    super(`the document cannot become tools (${problems.length} to fix):\n${lines.join("\n")}`);
    this.name = "WebMcpCompileError";
    this.problems = problems;
  }
}

/** One fault of a tool's input: `path` is a JSON pointer into the input, empty for the input itself. */
export type InputFault = { path: string; reason: string };

/** Thrown by `buildRequest`: no request was made. `faults` lists what is wrong with the input. */
export class WebMcpInputError extends Error {
  readonly tool: string;
  readonly faults: readonly InputFault[];

  constructor(tool: string, faults: readonly InputFault[]) {
    super(`${tool}: ${faults.map(({ path, reason }) => `input${path} ${reason}`).join("; ")}`);
    this.name = "WebMcpInputError";
    this.tool = tool;
    this.faults = faults;
  }
}
