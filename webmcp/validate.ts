import type { InputFault } from "./errors.ts";
import { canonicalJson, isObject, pointerTo, type JsonObject } from "./json.ts";
import { type Check, compileNumber, compileString, compileValues, fault } from "./scalar-checks.ts";
import type { JsonSchema } from "./types.ts";

/** Enough to repair a call with; a hostile input gets no longer answer. */
const MAX_FAULTS = 50;

/**
 * Turns a schema into a function that lists what is wrong with a value (JSON Schema 2020-12 for the keywords of
 * `JsonSchema`). Plain closures: works where `eval` is forbidden. Only own properties count, lengths are in
 * code points, a property that is `undefined` counts as absent because JSON cannot carry it.
 * @throws TypeError for a pattern that cannot be run, with the reason.
 */
export const createValidator = (schema: JsonSchema): ((value: unknown) => InputFault[]) => {
  const check = compile(schema);
  return (value) => {
    const faults: InputFault[] = [];
    check(value, faults);
    return faults;
  };
};

/** Children report relative paths; whoever descended puts its own step in front. */
const addStep = (faults: InputFault[], from: number, step: string | number): void => {
  const prefix = pointerTo("", step);
  for (const entry of faults.slice(from)) entry.path = prefix + entry.path;
};

const compile = (schema: JsonSchema): Check => {
  const typed = compileType(schema);
  const checks = [
    ...compileValues(schema),
    ...compileString(schema),
    ...compileNumber(schema),
    ...compileArray(schema),
    ...compileObject(schema),
  ];
  const [only, second] = checks;
  if (typed === undefined) return (value, faults) => checks.forEach((check) => check(value, faults));
  const { accepts, reason } = typed;
  if (only === undefined)
    return (value, faults) => {
      if (!accepts(value)) fault(faults, reason);
    };
  if (second === undefined)
    return (value, faults) => {
      if (accepts(value)) only(value, faults);
      else fault(faults, reason);
    };
  return (value, faults) => {
    if (!accepts(value)) return fault(faults, reason);
    for (const check of checks) check(value, faults);
  };
};

/** An object as JSON has it: a Date or another class could turn into something else on its way out. */
const isPlainObject = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
};

const TYPE_TESTS: Record<NonNullable<JsonSchema["type"]>, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  number: (value) => Number.isFinite(value),
  array: (value) => Array.isArray(value),
  object: isPlainObject,
};

const compileType = ({
  type,
}: JsonSchema): { accepts: (value: unknown) => boolean; reason: string } | undefined => {
  if (type === undefined) return undefined;
  const article = /^[aeiou]/.test(type) ? "an" : "a";
  return { accepts: TYPE_TESTS[type], reason: `must be ${article} ${type}` };
};

const compileArray = ({ items, minItems, maxItems, uniqueItems }: JsonSchema): Check[] => {
  if (items === undefined && minItems === undefined && maxItems === undefined && uniqueItems !== true)
    return [];
  const fewest = minItems ?? 0;
  const most = maxItems ?? Infinity;
  const checkItem = items === undefined ? undefined : compile(items);
  return [
    (value, faults) => {
      if (!Array.isArray(value)) return;
      if (value.length > most) return fault(faults, `must have at most ${most} items`);
      if (value.length < fewest) fault(faults, `must have at least ${fewest} items`);
      if (uniqueItems === true && new Set(value.map((item) => canonicalJson(item))).size < value.length)
        fault(faults, "must not repeat an item");
      if (checkItem === undefined) return;
      for (let index = 0; index < value.length && faults.length < MAX_FAULTS; index += 1) {
        const before = faults.length;
        checkItem(value[index], faults);
        if (faults.length > before) addStep(faults, before, index);
      }
    },
  ];
};

/** A name that every object seems to have: only an own property of that name counts. */
const isInherited = (name: string): boolean => name in Object.prototype;

type Member = { name: string; check: Check | undefined; required: boolean; inherited: boolean };

const listMembers = ({ properties = {}, required = [] }: JsonSchema): Member[] => {
  const names = new Set([...Object.keys(properties), ...required]);
  return [...names].map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const check = schema === undefined ? undefined : compile(schema);
    return { name, check, required: required.includes(name), inherited: isInherited(name) };
  });
};

const compileObject = (schema: JsonSchema): Check[] => {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined && required.length === 0 && additionalProperties === undefined) return [];
  const members = listMembers(schema);
  const closed = additionalProperties === false;
  const declared = new Set(Object.keys(properties ?? {}));
  return [
    (value, faults) => {
      if (!isObject(value)) return;
      const present = checkMembers(value, members, faults);
      if (closed && Object.keys(value).length > present) refuseUndeclared(value, declared, faults);
    },
  ];
};

/** Checks what is declared; answers how many of those properties the value has. */
const checkMembers = (value: JsonObject, members: readonly Member[], faults: InputFault[]): number => {
  let present = 0;
  // An index and no iterator: this is the hot loop of a call, and iterators cost on some engines.
  for (let index = 0; index < members.length; index += 1) {
    const { name, check, required, inherited } = members[index] as Member;
    const member = inherited && !Object.hasOwn(value, name) ? undefined : value[name];
    if (member === undefined) {
      if (required) fault(faults, `must have the property ${name}`);
    } else if (check !== undefined) {
      present += 1;
      const before = faults.length;
      check(member, faults);
      if (faults.length > before) addStep(faults, before, name);
    }
  }
  return present;
};

const refuseUndeclared = (value: JsonObject, declared: ReadonlySet<string>, faults: InputFault[]): void => {
  for (const name of Object.keys(value)) {
    if (faults.length >= MAX_FAULTS) return;
    if (value[name] === undefined || declared.has(name)) continue;
    faults.push({ path: pointerTo("", name), reason: "is not a declared property" });
  }
};
