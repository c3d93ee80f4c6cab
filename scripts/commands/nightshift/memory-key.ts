import { EXIT } from "../../../core/exit-codes.ts";
import { defineCommand } from "../../command/define-command.ts";
import { table } from "../../command/reporter.ts";
import { MEMORY_OPTIONS, openMemoryClient } from "./memory-options.ts";

type Key = { id: string; writer: string; access: string; scopes: string[]; createdAt: string };

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
  json: "document",
  examples: ["nightshift memory add-key ci --scope shared"],
  run: async ({ args, options }, io) => {
    const client = await openMemoryClient(options, io);
    const made = await client.json<Key & { key: string }>("POST", "/keys", {
      writer: args.writer,
      access: options.access,
      ...(options.scope.length === 0 ? {} : { scopes: options.scope }),
    });
    io.reporter.answer(made, made.key);
    if (!io.reporter.isJson)
      io.reporter.note(`${made.id}: ${made.writer} may ${made.access} ${made.scopes.join(", ")}`);
    return EXIT.yes;
  },
});

export const memoryKeyList = defineCommand({
  args: [],
  options: MEMORY_OPTIONS,
  json: "document",
  examples: ["nightshift memory keys"],
  run: async ({ options }, io) => {
    const client = await openMemoryClient(options, io);
    const { keys } = await client.json<{ keys: Key[] }>("GET", "/keys");
    const head = ["ID", "WRITER", "MAY", "SINCE", "SCOPES"].map((word) => io.reporter.style.dim(word));
    const rows = keys.map((key) => [
      key.id,
      key.writer,
      key.access,
      key.createdAt.slice(0, 10),
      key.scopes.join(", "),
    ]);
    io.reporter.answer(
      keys,
      rows.length === 0 ? ["only the main key"] : table([head, ...rows], io.reporter.columns),
    );
    return EXIT.yes;
  },
});

export const memoryKeyRevoke = defineCommand({
  args: [{ name: "id", description: "its id, as nightshift memory keys shows it" }],
  options: MEMORY_OPTIONS,
  json: "document",
  examples: ["nightshift memory rm-key 3f9a2c11"],
  run: async ({ args, options }, io) => {
    const client = await openMemoryClient(options, io);
    const done = await client.json("DELETE", `/keys/${encodeURIComponent(args.id)}`);
    io.reporter.answer(done, `revoked ${args.id}`);
    return EXIT.yes;
  },
});
