import { companionExecute, registration, staticExecute } from "./bootstrap-source.ts";
import type { ToolDescriptor } from "./types.ts";

export type BootstrapSettings =
  | {
      kind: "companion";
      tools: readonly ToolDescriptor[];
      basePath: string;
      resultSelector: string;
    }
  | {
      kind: "static";
      tools: readonly (ToolDescriptor & { operation: StaticOperation })[];
      apiOrigin: string;
      maxResponseBytes: number;
      resultSelector: string;
    };

/** What a page needs to build the request itself. */
export type StaticOperation = {
  path: string;
  pathParameters: readonly string[];
  queryParameters: readonly string[];
};

/** The module that registers the tools in a browser. The same settings give the same bytes. */
export const bootstrapScript = ({ kind, ...settings }: BootstrapSettings): string => {
  const execute = kind === "companion" ? companionExecute : staticExecute;
  // JSON.parse and not a literal: there a property named __proto__ would be the prototype.
  const json = JSON.stringify(JSON.stringify(settings)).replaceAll("<", "\\u003c");
  return `const settings = JSON.parse(${json});\n${execute}${registration}`;
};
