import { inPath } from "../../../client/server-client.ts";
import { defineCommand } from "../../command/define-command.ts";
import { listing } from "../../command/table.ts";
import { MEMORY_OPTIONS, openMemoryApi } from "./memory-options.ts";

export const memoryKeyCreate = defineCommand({
  args: [{ name: "writer", description: "the name that its writes carry" }],
  options: {
    access: { type: "string", choices: ["read", "write"], default: "write", description: "What it may do" },
    scope: {
      type: "string",
      repeatable: true,
      placeholder: "name",
      description: "A scope it may see (default: shared)",
    },
    ...MEMORY_OPTIONS,
  },
  examples: ["nightshift memory add-key ci --scope shared"],
  run: async ({ args, options }, io) => {
    const { call } = await openMemoryApi(options, io);
    const made = await call((client) =>
      client.keys.post({
        writer: args.writer,
        access: options.access,
        ...(options.scope.length === 0 ? {} : { scopes: [...options.scope] }),
      }),
    );
    io.reporter.answer(made, made.key);
    if (!io.reporter.isJson)
      io.reporter.note(`${made.id}: ${made.writer} may ${made.access} ${made.scopes.join(", ")}`);
  },
});

export const memoryKeyList = defineCommand({
  options: MEMORY_OPTIONS,
  examples: ["nightshift memory keys"],
  run: async ({ options }, io) => {
    const { call } = await openMemoryApi(options, io);
    const { keys } = await call((client) => client.keys.get());
    const rows = keys.map((key) => [
      key.id,
      key.writer,
      key.access,
      key.createdAt.slice(0, 10),
      key.scopes.join(", "),
    ]);
    const lines = listing(io.reporter, ["ID", "WRITER", "MAY", "SINCE", "SCOPES"], rows);
    io.reporter.answer(
      keys,
      rows.length === 0 ? "only the main key; add one with: nightshift memory add-key <writer>" : lines,
    );
  },
});

export const memoryKeyRevoke = defineCommand({
  args: [{ name: "id", description: "its id, as nightshift memory keys shows it" }],
  options: MEMORY_OPTIONS,
  examples: ["nightshift memory rm-key 3f9a2c11"],
  run: async ({ args, options }, io) => {
    const { call } = await openMemoryApi(options, io);
    const done = await call((client) => client.keys({ id: inPath(args.id) }).delete());
    io.reporter.answer(done, `revoked ${args.id}`);
  },
});
