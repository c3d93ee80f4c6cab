import { AppError, type Fault } from "../core/errors.ts";
import { meaningFaults } from "../core/meaning.ts";
import { type TSchema, Value } from "../core/schema.ts";
import { faultMessage } from "../core/schema-fault.ts";

/** What Elysia says of a request that is not what its route takes. */
type Refused = {
  type: string;
  value: unknown;
  all: readonly object[];
};
type Found = { path: string; message: string; schema?: { error?: string } };

/** What a route takes, as it was declared. */
export type Declared = { body?: unknown; query?: unknown };

/** A request that is not what its route takes: every fault of it, of type and of meaning, each by its field. */
export const validationFailure = (error: Refused, request: Request, declared: Declared): AppError => {
  const faults: Fault[] = [];
  const add = (fault: Fault): void => {
    if (!faults.some(({ path }) => path === fault.path)) faults.push(fault);
  };
  // Elysia makes numbers of a query's texts and, where it cannot, forgets which one it was.
  const isQuery = error.type === "query" || error.type === "property";
  if (isQuery) for (const fault of numberFaults(declared.query, request)) add(fault);
  if (error.type !== "property")
    for (const one of error.all) {
      if (!("path" in one)) continue;
      const found = one as Found;
      const message = found.schema?.error ?? faultMessage(found);
      // TypeBox reports a missing property twice: as required and as of the wrong type.
      add({ path: `/${error.type}${found.path}`, message });
    }
  if (error.type === "body") for (const fault of meaningFaults(declared.body, error.value)) add(fault);
  const where = error.type === "body" ? "body" : `${isQuery ? "query" : error.type} parameters`;
  const what = faults.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new AppError("bad-data", `The request ${where} is not valid: ${what}`, { faults });
};

type Property = { type?: string; anyOf?: Property[] };

const numberFaults = (schema: unknown, request: Request): Fault[] => {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Property> };
  return [...new URL(request.url).searchParams].flatMap(([name, text]) => {
    const property = properties[name];
    const number = [property, ...(property?.anyOf ?? [])].find((one) =>
      /^(?:integer|number)$/.test(one?.type ?? ""),
    );
    if (number === undefined) return [];
    const [first] = Value.Errors(number as unknown as TSchema, text === "" ? text : Number(text));
    return first ? [{ path: `/query/${name}`, message: first.message }] : [];
  });
};
