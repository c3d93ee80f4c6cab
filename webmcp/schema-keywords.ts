/**
 * What the compiler does with a keyword. `copied` limits a value and goes into the tool's schema; `counted` limits
 * an array; `structure` is compiled by hand; an `annotation` says something without limiting: accepted, left out.
 */
export type KeywordKind = "copied" | "counted" | "structure" | "annotation" | "reference" | "combined";

const KINDS: Readonly<Record<KeywordKind, string>> = {
  copied:
    "enum const minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
  counted: "minItems maxItems uniqueItems",
  structure: "type description properties required additionalProperties items",
  annotation:
    "title default examples example format deprecated readOnly writeOnly externalDocs xml $comment contentMediaType contentEncoding",
  reference: "$ref $dynamicRef $recursiveRef",
  combined: "allOf anyOf oneOf not if then else dependentSchemas discriminator",
};

const kinds = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [name, kind as KeywordKind]),
  ),
);

/** Undefined for a keyword that is not supported. */
export const kindOfKeyword = (keyword: string): KeywordKind | undefined =>
  kinds.get(keyword) ?? (keyword.startsWith("x-") ? "annotation" : undefined);
