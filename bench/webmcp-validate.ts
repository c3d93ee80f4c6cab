// Budget: validating a call runs at 0.3 times ajv's rate or more, without making code out of text: freshly started,
// and after calls of 20,000 other shapes, as a server that is up for long sees them. Measured on Bun and on Node.
// Run with: npx bun bench/webmcp-validate.ts      (on Node alone: node --import jiti/register bench/webmcp-validate.ts)
import { spawnSync } from "node:child_process";
import { Ajv2020 } from "ajv/dist/2020.js";
import { generateTools, type GeneratedTool, validateInput } from "../webmcp/index.ts";
import { apiDocument } from "../webmcp/fixtures/api-document.ts";

const BUDGET = 0.3;
const CALLS = 20_000;
const ROUNDS = 31;
const OTHER_SHAPES = 20_000;

const generated = generateTools(apiDocument(1)).find(({ name }) => name === "write_0");
if (generated === undefined) throw new Error("the document has no tool write_0");
/** Without its pattern, which ajv runs with an engine that a text can stall; what it costs here is printed apart. */
const tool = JSON.parse(JSON.stringify(generated), (key, value: unknown) =>
  key === "pattern" ? undefined : value,
) as GeneratedTool;
const input = {
  id: "record-4711",
  body: {
    name: "Ada Lovelace",
    email: "ada@example.com",
    age: 36,
    tags: ["first", "programmer", "countess"],
    address: { street: "St James's Square 12", city: "London", country: "FR" },
  },
};
const reference = new Ajv2020({ strict: false }).compile(tool.inputSchema);
if (!reference(input) || validateInput(tool, input).length > 0) throw new Error("the input should be valid");
const work = {
  ours: () => validateInput(tool, input),
  ajv: () => reference(input),
  withPattern: () => validateInput(generated, input),
};
type Name = keyof typeof work;

/** The rate of the fastest round of each: the one that the machine's other work disturbed least. */
const measure = (...names: Name[]): Record<Name, number> => {
  const fastest = { ours: 0, ajv: 0, withPattern: 0 };
  // A server's steady state is what counts: let the engine finish compiling both.
  for (let call = 0; call < 10 * CALLS; call += 1) for (const name of names) work[name]();
  // Both are measured in turn so that the machine treats them alike.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of names) {
      const start = performance.now();
      for (let call = 0; call < CALLS; call += 1) work[name]();
      fastest[name] = Math.max(fastest[name], CALLS / ((performance.now() - start) / 1000));
    }
  return fastest;
};

/** A tool of a kind of its own, and an input for it: property names that no other has, in the body and beside it. */
const otherShape = (nth: number): { other: GeneratedTool; values: object } => {
  const [name, age, extra] = [`name${nth}`, `age${nth}`, `extra${nth}`];
  const inputSchema: GeneratedTool["inputSchema"] = {
    type: "object",
    properties: {
      id: { type: "string" },
      [extra]: { type: "integer" },
      body: { type: "object", properties: { [name]: { type: "string" }, [age]: { type: "integer" } } },
    },
    required: ["id"],
    additionalProperties: false,
  };
  return {
    other: { ...tool, name: `write_other_${nth}`, inputSchema },
    values: { id: `record-${nth}`, [extra]: nth, body: { [name]: "Ada", [age]: 36 } },
  };
};

/** Ours checks each by its own schema and by the measured one, ajv by the measured one: both see all the shapes. */
const meetOthers = (): void => {
  for (let nth = 0; nth < OTHER_SHAPES; nth += 1) {
    const { other, values } = otherShape(nth);
    if (validateInput(other, values).length > 0) throw new Error(`shape ${nth} should fit its own tool`);
    if (validateInput(tool, values).length === 0 || reference(values))
      throw new Error(`shape ${nth} should not fit the measured tool`);
  }
};

const runtime = process.versions["bun"] === undefined ? "Node" : "Bun";
const perSecond = (rate: number): string => `${(rate / 1e6).toFixed(2)} million/s`;
const report = (when: string): boolean => {
  const { ours, ajv } = measure("ours", "ajv");
  const ratio = ours / ajv;
  console.log(
    `${runtime}, ${when}: validateInput ${perSecond(ours)}, ajv ${perSecond(ajv)}, ratio ${ratio.toFixed(2)} (budget ${BUDGET})`,
  );
  return ratio >= BUDGET;
};

const isFreshFast = report("fresh");
meetOthers();
const isStillFast = report(`after ${OTHER_SHAPES} other shapes`);
// By itself: it would slow down what is measured beside it.
console.log(`${runtime}: validateInput with a pattern ${perSecond(measure("withPattern").withPattern)}`);
const onNode = (): boolean =>
  spawnSync("node", ["--import", "jiti/register", import.meta.filename], { stdio: "inherit" }).status === 0;
const isNodeFast = runtime === "Node" || onNode();
process.exitCode = isFreshFast && isStillFast && isNodeFast ? 0 : 1;
