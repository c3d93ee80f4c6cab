import { readFileIfThere } from "../../core/read-file.ts";
import { AppError, errorText, type Fault } from "../../core/errors.ts";
import { Type, Value, type Static, type TSchema } from "../../core/schema.ts";

const strict = { additionalProperties: false };
const text = Type.String();
const tokens = Type.Integer({ minimum: 0 });

/** What one step of a script can do, by the word in its `do`. docs/agents.md explains each. */
export const STEP_SCHEMAS = {
  say: Type.Object({ do: Type.Literal("say"), text }, strict),
  write: Type.Object({ do: Type.Literal("write"), file: text, text }, strict),
  append: Type.Object({ do: Type.Literal("append"), file: text, text }, strict),
  edit: Type.Object({ do: Type.Literal("edit"), file: text, find: text, replace: text }, strict),
  run: Type.Object({ do: Type.Literal("run"), command: text }, strict),
  fork: Type.Object({ do: Type.Literal("fork"), command: text }, strict),
  usage: Type.Object(
    {
      do: Type.Literal("usage"),
      contextTokens: tokens,
      /** added once for each earlier round of the `repeat` it stands in */
      growth: Type.Optional(tokens),
      windowTokens: Type.Optional(Type.Integer({ minimum: 1 })),
      costUsd: Type.Optional(Type.Number({ minimum: 0 })),
    },
    strict,
  ),
  waitForFile: Type.Object({ do: Type.Literal("waitForFile"), file: text }, strict),
  wait: Type.Object({ do: Type.Literal("wait"), ms: Type.Integer({ minimum: 0 }) }, strict),
  think: Type.Object({ do: Type.Literal("think"), ms: Type.Optional(Type.Integer({ minimum: 0 })) }, strict),
  hang: Type.Object({ do: Type.Literal("hang"), stubborn: Type.Optional(Type.Boolean()) }, strict),
  raw: Type.Object({ do: Type.Literal("raw"), text }, strict),
  stderr: Type.Object({ do: Type.Literal("stderr"), text }, strict),
  exit: Type.Object({ do: Type.Literal("exit"), code: Type.Integer({ minimum: 0, maximum: 255 }) }, strict),
  crash: Type.Object({ do: Type.Literal("crash") }, strict),
  rateLimit: Type.Object(
    {
      do: Type.Literal("rateLimit"),
      message: Type.Optional(text),
      resetsInMs: Type.Optional(Type.Integer({ minimum: 0 })),
      resetsAtMs: Type.Optional(Type.Integer({ minimum: 0 })),
    },
    strict,
  ),
  fail: Type.Object({ do: Type.Literal("fail"), message: text }, strict),
} satisfies Record<string, TSchema>;

type StepSchemas = typeof STEP_SCHEMAS;

/** One thing the scripted agent does. */
export type Step = { [Name in keyof StepSchemas]: Static<StepSchemas[Name]> }[keyof StepSchemas];

/** A step, or steps done several times over (`{{i}}` in their texts is the round, from 1). */
export type ScriptedStep = Step | { do: "repeat"; times: number; steps: ScriptedStep[] };

/** What the agent does in one session; `note` answers the closing note (null: it never answers). */
export type Part = { steps: ScriptedStep[]; note?: string | null };

/** The parts are played one a session; the last is played again by every session after it. */
export type Script = { parts: Part[] };

/** A step ready to be done: `{{session}}` and `{{i}}` filled in. */
export type PlannedStep = Step;

const REPEAT = Type.Object(
  { do: Type.Literal("repeat"), times: Type.Integer({ minimum: 1 }), steps: Type.Array(Type.Unknown()) },
  strict,
);
const PART = Type.Object(
  {
    steps: Type.Array(Type.Unknown()),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  strict,
);
const SCRIPT = Type.Object({ parts: Type.Array(PART, { minItems: 1 }) }, strict);

const isStepName = (name: unknown): name is keyof StepSchemas =>
  typeof name === "string" && Object.hasOwn(STEP_SCHEMAS, name);

const faultsOf = (schema: TSchema, value: unknown, path: string): Fault[] =>
  [...Value.Errors(schema, value)].map((error) => ({ path: path + error.path, message: error.message }));

const stepFaults = (value: unknown, path: string): Fault[] => {
  const name = typeof value === "object" && value !== null && "do" in value ? value.do : undefined;
  if (name === "repeat") {
    const faults = faultsOf(REPEAT, value, path);
    if (faults.length > 0 || !Value.Check(REPEAT, value)) return faults;
    return value.steps.flatMap((inner, index) => stepFaults(inner, `${path}/steps/${index}`));
  }
  if (isStepName(name)) return faultsOf(STEP_SCHEMAS[name], value, path);
  const known = [...Object.keys(STEP_SCHEMAS), "repeat"].join(", ");
  return [{ path: `${path}/do`, message: `is ${JSON.stringify(name)}; known: ${known}` }];
};

/** Checks a script that was read as JSON; every fault is listed at once. */
export const checkScript = (value: unknown, name: string): Script => {
  const faults = faultsOf(SCRIPT, value, "");
  if (Value.Check(SCRIPT, value))
    value.parts.forEach((part, partIndex) =>
      part.steps.forEach((step, index) =>
        faults.push(...stepFaults(step, `/parts/${partIndex}/steps/${index}`)),
      ),
    );
  if (faults.length > 0) {
    const list = faults.map((fault) => `${fault.path || "/"} ${fault.message}`).join("; ");
    throw new AppError("bad-data", `script ${name} cannot be played: ${list}`, { faults });
  }
  return value as Script;
};

/** @throws AppError `not-found` or `bad-data` that names the file and every fault in it */
export const loadScript = (file: string): Script => {
  const text = readFileIfThere(file);
  if (text === undefined) throw new AppError("not-found", `there is no script ${file}`);
  try {
    return checkScript(JSON.parse(text), file);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new AppError("bad-data", `script ${file} is not JSON: ${errorText(error)}`, { cause: error });
  }
};
