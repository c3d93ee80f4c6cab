import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type MemoryServer, startMemoryServer } from "../../server/memory/fixtures/start-memory-server.ts";
import type { Answers } from "../api-reference.ts";

export const STORY_BEGINS = "2026-11-20T22:00:00.000Z";
const STEP_MS = 10_000;
const MOST_LINES = 4;

type Request = {
  /** what stands for the path's `{…}` */
  at?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: unknown;
  /** a token or key; without it the server's key, with null none */
  as?: string | null;
  headers?: Record<string, string>;
};

type Told = { status: number; type: string; text: string };

export type Teller = {
  server: MemoryServer;
  /** the token that may do everything */
  admin: string;
  /** Sends a request of an operation (`GET /health`), keeps the first answer of each, and gives it. */
  tell: <T = unknown>(operation: string, request?: Request) => Promise<T>;
  note: (operation: string, told: Told) => void;
};

/** Of a list of objects the first. */
const firstOfEach = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return (typeof value[0] === "object" ? value.slice(0, 1) : value).map(firstOfEach);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, firstOfEach(one)]));
};

const exampleOf = ({ type, text }: Told): string | undefined => {
  if (type === "application/x-tar") return undefined;
  if (type === "application/json") return JSON.stringify(firstOfEach(JSON.parse(text)), undefined, 2);
  return text
    .split("\n", type === "application/x-ndjson" ? 1 : MOST_LINES)
    .join("\n")
    .trim();
};

/** Starts a server whose clock moves with each request, has a story told to it, and ends it. */
export const tellTo = async (
  {
    env = {},
    answers,
    fix,
  }: { env?: Record<string, string>; answers: Answers; fix: (text: string) => string },
  story: (teller: Teller) => Promise<void>,
): Promise<void> => {
  let now = Date.parse(STORY_BEGINS);
  const server = await startMemoryServer(env, () => now);
  const note: Teller["note"] = (operation, told) => {
    if (answers.has(operation)) return;
    const example = exampleOf({ ...told, text: fix(told.text) });
    answers.set(operation, { status: String(told.status), type: told.type, example });
  };
  const tell: Teller["tell"] = async <T>(operation: string, { at = {}, query, ...request }: Request = {}) => {
    now += STEP_MS;
    const [method = "", template = ""] = operation.split(" ");
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(at[name] ?? ""));
    const search = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
    const { status, headers, text } = await server.ask(method, path + search, request);
    if (status >= 300) throw new Error(`${operation} was answered ${status}: ${text}`);
    const [type = ""] = (headers.get("content-type") ?? "").split(";");
    note(operation, { status, type, text });
    return (type === "application/json" ? JSON.parse(text) : text) as T;
  };
  const admin = readFileSync(join(server.settings.home, "admin-token"), "utf8").trim();
  try {
    await story({ server, admin, tell, note });
  } finally {
    await server.stop();
  }
};
