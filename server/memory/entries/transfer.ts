import { AppError, type Fault } from "../../../core/errors.ts";
import { Type, TypeCompiler } from "../../../core/schema.ts";
import { faultMessage } from "../../../core/schema-fault.ts";
import { type Access, writableScope } from "../../auth/scopes.ts";
import { toEntry } from "../answers/learn.ts";
import type { NewLearning } from "../store/learning.ts";
import type { MemoryPorts } from "../answers/ask.ts";
import { LearnBody } from "../answers/schemas.ts";
import { viewLearning } from "../answers/views.ts";
import { type EntryQuery, filterOf } from "./entries.ts";

const MAX_FAULTS = 100;
const BATCH = 500;
/** What an export gives has more members; a schema of its own, because Elysia closes those of its routes. */
const Line = Type.Object(LearnBody.properties);
// Compiled at the first import: it takes a while, and most servers never see one.
let compiled: ReturnType<typeof TypeCompiler.Compile<typeof Line>> | undefined;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The learnings a caller may see, one JSON document a line. */
export const exportLines = (
  ports: MemoryPorts,
  access: Access,
  query: EntryQuery,
): ReadableStream<Uint8Array> => {
  const learnings = ports.learnings.each(filterOf(access, query))[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      let lines = "";
      for (let count = 0; count < BATCH; count++) {
        const { done, value } = await learnings.next();
        if (done) {
          if (lines !== "") controller.enqueue(encoder.encode(lines));
          controller.close();
          return;
        }
        lines += `${JSON.stringify(viewLearning(value))}\n`;
      }
      controller.enqueue(encoder.encode(lines));
    },
  });
};

/** Stores what an export gave. Nothing is stored while any line has a fault; all faults are told. */
export const importLines = async (
  ports: MemoryPorts,
  access: Access,
  request: Request,
): Promise<{ stored: number; merged: number }> => {
  await ports.countWrite(access.writer);
  const entries = readLines(await request.text(), ports, access);
  let stored = 0;
  for (let at = 0; at < entries.length; at += BATCH) {
    const added = await Promise.all(
      entries.slice(at, at + BATCH).map((entry) => ports.learnings.add(entry, {})),
    );
    stored += added.filter(({ status }) => status === "stored").length;
  }
  if (stored > 0) ports.onStored();
  return { stored, merged: entries.length - stored };
};

const readLines = (text: string, ports: MemoryPorts, access: Access): NewLearning[] => {
  const faults: Fault[] = [];
  const entries: NewLearning[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "" || faults.length >= MAX_FAULTS) continue;
    const read = readLine(line, ports, access);
    if ("entry" in read) entries.push(read.entry);
    else faults.push(...read.faults.map(({ path, message }) => ({ path: `line ${at + 1}${path}`, message })));
  }
  if (faults.length > 0)
    throw new AppError("bad-data", `${faults.length} faults in the lines; nothing was imported`, { faults });
  return entries;
};

const readLine = (
  line: string,
  ports: MemoryPorts,
  access: Access,
): { entry: NewLearning } | { faults: Fault[] } => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { faults: [{ path: "", message: "is not JSON" }] };
  }
  const checkLine = (compiled ??= TypeCompiler.Compile(Line));
  if (!checkLine.Check(value))
    return {
      faults: [...checkLine.Errors(value)].map((found) => ({
        path: found.path,
        message: faultMessage(found),
      })),
    };
  const { id, createdAt, expiresAt } = value as { id?: unknown; createdAt?: unknown; expiresAt?: unknown };
  const now = ports.now();
  const by = { writer: access.writer, scope: writableScope(access, value.scope) };
  const entry = toEntry(now, by, value);
  if (!entry.trigger || !entry.learning) return { faults: [{ path: "", message: "has no readable text" }] };
  const expires = value.ttl === undefined ? parseTime(expiresAt) : undefined;
  return {
    entry: {
      ...entry,
      ...(typeof id === "string" && UUID.test(id) ? { id } : {}),
      createdAt: Math.min(now, parseTime(createdAt) ?? now),
      ...(expires === undefined ? {} : { expiresAt: expires }),
    },
  };
};

const parseTime = (value: unknown): number | undefined => {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};
