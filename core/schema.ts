// The one door to TypeBox: a later major (another package name, another value module) is a change here only.
export { Type, Kind, type Static, type TSchema, type TObject, type TProperties } from "@sinclair/typebox";
export { Value } from "@sinclair/typebox/value";
export { TypeCompiler } from "@sinclair/typebox/compiler";
