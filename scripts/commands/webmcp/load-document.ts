import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import { AppError, errorText } from "../../../core/errors.ts";
import { WebMcpCompileError, type OpenApiDocument } from "../../../webmcp/index.ts";

const MAX_BYTES = 50_000_000;

/** The argument that every `nightshift webmcp` command takes. */
export const DOCUMENT_ARGUMENT = {
  name: "openapi",
  description: "OpenAPI 3.1 document: a JSON or YAML file, or an http(s) address",
  complete: "file",
} as const;

/**
 * Reads an OpenAPI document from a file or an address.
 * @throws AppError `not-found`, `unavailable` or `bad-data`, naming the place.
 */
export const loadDocument = async (
  place: string,
  cwd: string,
  signal: AbortSignal,
): Promise<OpenApiDocument> => {
  const text = /^https?:\/\//.test(place) ? await download(place, signal) : readText(resolve(cwd, place));
  let document: unknown;
  try {
    // YAML reads JSON too, but JSON.parse is much faster on large documents.
    document = text.trimStart().startsWith("{") ? JSON.parse(text) : parse(text);
  } catch (error) {
    throw new AppError("bad-data", `${place} is neither JSON nor YAML: ${errorText(error)}`, {
      cause: error,
    });
  }
  if (typeof document !== "object" || document === null || !("openapi" in document))
    throw new AppError("bad-data", `${place} is not an OpenAPI document: it has no openapi field`);
  return document as OpenApiDocument;
};

/** Runs a generator of the toolkit; what it cannot compile becomes an error of the command. */
export const compiling = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TypeError) throw new AppError("usage", error.message, { cause: error });
    if (!(error instanceof WebMcpCompileError)) throw error;
    throw new AppError("bad-data", error.message, {
      cause: error,
      faults: error.problems.map(({ pointer, operation, message, fix }) => ({
        path: pointer,
        message: `${operation === "" ? "document" : operation}: ${message}. ${fix}.`,
      })),
    });
  }
};

const readText = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("not-found", `cannot read ${path}: ${errorText(error)}`, { cause: error });
  }
};

const download = async (url: string, signal: AbortSignal): Promise<string> => {
  const response = await fetch(url, { signal, headers: { accept: "application/json" } }).catch(
    (error: unknown) => {
      throw new AppError("unavailable", `cannot reach ${url}: ${errorText(error)}`, { cause: error });
    },
  );
  if (!response.ok) throw new AppError("unavailable", `${url} answered ${response.status}`);
  const text = await response.text();
  if (text.length > MAX_BYTES) throw new AppError("too-large", `${url} is larger than ${MAX_BYTES} bytes`);
  return text;
};
