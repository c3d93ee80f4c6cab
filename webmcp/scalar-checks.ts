import type { InputFault } from "./errors.ts";
import { canonicalJson } from "./json.ts";
import { compilePattern } from "./pattern.ts";
import type { JsonSchema } from "./types.ts";

/** Exact for the decimals people write: 0.3 is a multiple of 0.1, which `%` denies. `divisor` is above 0. */
const isMultipleOf = (value: number, divisor: number): boolean => {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shift = Math.min(exponent, divisorExponent);
  const scaled = digits * 10n ** BigInt(exponent - shift);
  return scaled % (divisorDigits * 10n ** BigInt(divisorExponent - shift)) === 0n;
};

/** The number as digits times a power of ten, from its shortest decimal form. */
const decimal = (value: number): [digits: bigint, exponent: number] => {
  const [, whole = "0", fraction = "", exponent = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
};

/** Adds a fault for everything wrong with the value; silent when it is right. */
export type Check = (value: unknown, faults: InputFault[]) => void;

export const fault = (faults: InputFault[], reason: string): void => {
  faults.push({ path: "", reason });
};

/** The checks of enum and const. */
export const compileValues = (schema: JsonSchema): Check[] => {
  const checks: Check[] = [];
  if (schema.enum !== undefined) {
    const accepts = oneOf(schema.enum);
    const reason = `must be one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`;
    checks.push((value, faults) => {
      if (!accepts(value)) fault(faults, reason);
    });
  }
  if (Object.hasOwn(schema, "const")) {
    const accepts = oneOf([schema.const]);
    const reason = `must be ${JSON.stringify(schema.const)}`;
    checks.push((value, faults) => {
      if (!accepts(value)) fault(faults, reason);
    });
  }
  return checks;
};

const oneOf = (values: readonly unknown[]): ((value: unknown) => boolean) => {
  // A Set compares numbers as JSON does: 0 and -0 are one value.
  const scalars = new Set(values.filter((value) => typeof value !== "object" || value === null));
  const compound = new Set(
    values
      .filter((value) => typeof value === "object" && value !== null)
      .map((value) => canonicalJson(value)),
  );
  if (compound.size === 0) return (value) => scalars.has(value);
  return (value) =>
    scalars.has(value) || (typeof value === "object" && value !== null && compound.has(canonicalJson(value)));
};

/** Length in code points: a pair of surrogates is one character. */
const codePoints = (text: string): number => {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    const low = text.charCodeAt(at);
    if (low < 0xdc00 || low > 0xdfff) continue;
    const high = text.charCodeAt(at - 1);
    if (high >= 0xd800 && high <= 0xdbff) count -= 1;
  }
  return count;
};

/** The checks of texts. */
export const compileString = ({ minLength, maxLength, pattern }: JsonSchema): Check[] => {
  if (minLength === undefined && maxLength === undefined && pattern === undefined) return [];
  const shortest = minLength ?? 0;
  const longest = maxLength ?? Infinity;
  const expression = pattern === undefined ? undefined : compilePattern(pattern);
  if (typeof expression === "string") throw new TypeError(`${pattern}: ${expression}`);
  return [
    (value, faults) => {
      if (typeof value !== "string") return;
      // Code points are at most the code units and at least half of them: most lengths need no counting.
      if (value.length > longest && codePoints(value) > longest)
        return fault(faults, `must have at most ${longest} characters`);
      if (value.length < shortest * 2 && codePoints(value) < shortest)
        fault(faults, `must have at least ${shortest} characters`);
      if (expression?.test(value) === false) fault(faults, `must match ${pattern}`);
    },
  ];
};

/** The checks of numbers. */
export const compileNumber = (schema: JsonSchema): Check[] => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const checks: ((value: number, faults: InputFault[]) => void)[] = [];
  if (minimum !== undefined)
    checks.push((value, faults) => void (value < minimum && fault(faults, `must be at least ${minimum}`)));
  if (maximum !== undefined)
    checks.push((value, faults) => void (value > maximum && fault(faults, `must be at most ${maximum}`)));
  if (exclusiveMinimum !== undefined)
    checks.push(
      (value, faults) =>
        void (value <= exclusiveMinimum && fault(faults, `must be above ${exclusiveMinimum}`)),
    );
  if (exclusiveMaximum !== undefined)
    checks.push(
      (value, faults) =>
        void (value >= exclusiveMaximum && fault(faults, `must be below ${exclusiveMaximum}`)),
    );
  if (multipleOf !== undefined)
    checks.push(
      (value, faults) =>
        void (isMultipleOf(value, multipleOf) || fault(faults, `must be a multiple of ${multipleOf}`)),
    );
  if (checks.length === 0) return [];
  return [
    (value, faults) => {
      if (typeof value === "number") for (const check of checks) check(value, faults);
    },
  ];
};
