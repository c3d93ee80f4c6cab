import { withoutNamedSecrets } from "../../core/redaction.ts";
import { causeText } from "../../core/errors.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { readMemoryKey } from "./memory-key.ts";

export type MemoryPorts = { fetch: typeof fetch };

/** Where the memory service is, and the file of its key. */
export type MemorySettings = { url: string; keyFile: string };

export type MemoryAnswer =
  | { status: "ok"; text: string; receipt: string | undefined; count: number }
  | { status: "unavailable"; problem: string };

const INJECT_TIMEOUT_MS = 2_000;
const LIMIT = 5;

type InjectBody = { prompt?: unknown; injection?: unknown; receipt?: unknown; learnings?: unknown };

const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** One `POST /inject` for a session; a service that is away, slow or broken is said, never fatal. */
export const askMemory = async (
  { fetch }: MemoryPorts,
  { url, keyFile }: MemorySettings,
  context: string,
): Promise<MemoryAnswer> => {
  try {
    const ask = (headers: Record<string, string>) =>
      fetch(new URL("inject", withSlash(url)), {
        method: "POST",
        redirect: "error",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ context, format: "prompt", limit: LIMIT }),
        signal: AbortSignal.timeout(INJECT_TIMEOUT_MS),
      });
    const first = await ask({});
    // Off this machine, and behind a proxy, a server wants to know who reads.
    const key = first.status === 401 ? readFileIfThere(keyFile)?.trim() : undefined;
    const response = key ? await ask({ authorization: `Bearer ${key}` }) : first;
    if (!response.ok) return { status: "unavailable", problem: `${url} answered ${response.status}` };
    const body = (await response.json()) as InjectBody;
    return {
      status: "ok",
      text: stringOf(body.prompt) ?? stringOf(body.injection) ?? "",
      receipt: stringOf(body.receipt),
      count: Array.isArray(body.learnings) ? body.learnings.length : 0,
    };
  } catch (error) {
    const isSlow = error instanceof Error && error.name === "TimeoutError";
    return {
      status: "unavailable",
      problem: isSlow ? `${url} did not answer within 2 s` : `${url}: ${causeText(error)}`,
    };
  }
};

const withSlash = (url: string): string => (url.endsWith("/") ? url : `${url}/`);

export type MemoryCall = { method: "GET" | "POST" | "PATCH" | "DELETE"; path: string; body?: unknown };

/** One request with the key of the service; the answer, or what went wrong in words. */
export const callMemory = async (
  { fetch }: MemoryPorts,
  settings: MemorySettings,
  { method, path, body }: MemoryCall,
): Promise<{ answer?: unknown; problem?: string }> => {
  try {
    const key = readMemoryKey(settings.keyFile);
    const response = await fetch(new URL(path, withSlash(settings.url)), {
      method,
      redirect: "error",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(withoutNamedSecrets(body)) }),
      signal: AbortSignal.timeout(INJECT_TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) return { problem: `${settings.url} answered ${response.status} to ${path}` };
    return { answer: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `memory ${path}: ${causeText(error)}` };
  }
};

const write = async (
  ports: MemoryPorts,
  settings: MemorySettings,
  path: string,
  body: unknown,
): Promise<string | undefined> => (await callMemory(ports, settings, { method: "POST", path, body })).problem;

/** Files how it went for exactly what was injected; returns the problem, if there was one. */
export const fileOutcome = (
  ports: MemoryPorts,
  settings: MemorySettings,
  receipt: string,
  outcome: "pass" | "fail",
) => write(ports, settings, "outcome", { receipt, outcome });

export type Lesson = {
  type: "learning" | "failure" | "state";
  trigger: string;
  learning: string;
  confidence: number;
  project?: string;
  source: string;
};

/** Stores one learning; returns the problem, if there was one. */
export const storeLesson = (ports: MemoryPorts, settings: MemorySettings, lesson: Lesson) =>
  write(ports, settings, "learn", lesson);
