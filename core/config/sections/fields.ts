import { type TLiteral, type TOptional, type TUnion, Type } from "../../schema.ts";

type Limits = Partial<Record<"minimum" | "exclusiveMinimum" | "maximum" | "default", number>>;

/** A part of the config; a key that it does not name is a fault. */
export const section = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

/** A text that says something. */
export const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const texts = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description }));

export const flag = (description: string, fallback: boolean) =>
  Type.Optional(Type.Boolean({ default: fallback, description }));

export const whole = (description: string, limits: Limits) =>
  Type.Optional(Type.Integer({ ...limits, description }));

export const number = (description: string, limits: Limits) =>
  Type.Optional(Type.Number({ ...limits, description }));

export const oneOf = <const T extends string>(
  choices: readonly T[],
  description: string,
  fallback?: NoInfer<T>,
): TOptional<TUnion<TLiteral<T>[]>> =>
  Type.Optional(
    Type.Union(
      choices.map((choice) => Type.Literal(choice)),
      { description, ...(fallback === undefined ? {} : { default: fallback }) },
    ),
  );
