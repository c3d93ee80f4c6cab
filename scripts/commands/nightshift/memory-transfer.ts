import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { writeFileDurably } from "../../../core/durable-file.ts";
import { AppError, errorText } from "../../../core/errors.ts";
import { defineCommand } from "../../command/define-command.ts";
import { MEMORY_OPTIONS, openMemoryApi } from "./memory-options.ts";

export const memoryExport = defineCommand({
  args: [
    {
      name: "file",
      description: "file to write (default: standard output)",
      isOptional: true,
      complete: "file",
    },
  ],
  options: MEMORY_OPTIONS,
  json: "none",
  examples: ["nightshift memory export learnings.jsonl"],
  run: async ({ args, options }, io) => {
    const { open } = await openMemoryApi(options, io);
    const text = await (await open("/learnings/export")).text();
    if (args.file === undefined) {
      if (text !== "") io.reporter.text(text.trimEnd());
      return;
    }
    writeFileDurably(resolve(io.cwd, args.file), text, { mode: 0o600 });
    io.reporter.text(`wrote ${text.split("\n").length - 1} learnings to ${args.file}`);
  },
});

const readLines = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AppError("not-found", `cannot read ${file}: ${errorText(error)}`, { cause: error });
  }
};

export const memoryImport = defineCommand({
  args: [{ name: "file", description: "what export wrote", complete: "file" }],
  options: MEMORY_OPTIONS,
  examples: ["nightshift memory import learnings.jsonl"],
  run: async ({ args, options }, io) => {
    const { call } = await openMemoryApi(options, io);
    const lines = readLines(resolve(io.cwd, args.file));
    const headers = { "content-type": "application/x-ndjson" };
    const done = await call((client) => client.learnings.import.post(lines, { headers })).catch(
      (error: unknown) => {
        if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
        const hint = "if it broke off, import again: what is stored already is merged";
        throw new AppError("unavailable", `${error.message}; ${hint}`, { cause: error });
      },
    );
    io.reporter.answer(done, `stored ${done.stored}, merged ${done.merged}`);
  },
});
