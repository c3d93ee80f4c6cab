// The one door to TypeBox: a later major (another package name, another value module) is a change here only.
import { Type as type } from "@sinclair/typebox";
import { TypeCompiler as compiler } from "@sinclair/typebox/compiler";
import { Value as value } from "@sinclair/typebox/value";

// Elysia's declarations are CommonJS and so name TypeBox's CommonJS types, which TypeScript takes for other
// types than the ESM ones of the same names (unique symbols). At run time both are the same symbols.
import type * as Box from "@sinclair/typebox" with { "resolution-mode": "require" };
import type * as BoxCompiler from "@sinclair/typebox/compiler" with { "resolution-mode": "require" };
import type * as BoxValue from "@sinclair/typebox/value" with { "resolution-mode": "require" };

export const Type = type as unknown as typeof Box.Type;
export const Value = value as unknown as typeof BoxValue.Value;
export const TypeCompiler = compiler as unknown as typeof BoxCompiler.TypeCompiler;
export type { Static, TLiteral, TOptional, TSchema, TUnion } from "@sinclair/typebox" with {
  "resolution-mode": "require",
};
