#!/usr/bin/env node
// Stands between a driver and the real program (SHIM_COMMAND), and spoils what that writes as SHIM says.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

const GARBAGE = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0xe2, 0x82, 0x22, 0x0a]); // neither UTF-8 nor JSON
const FLOOD_BYTES = 200 * 1024 * 1024;
const mode = process.env.SHIM;

const write = async (bytes) => {
  if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
};

const flood = async () => {
  const chunk = Buffer.from(`${"It goes on and on. ".repeat(50)}\n`.repeat(1_000));
  for (let left = FLOOD_BYTES; left > 0; left -= chunk.length) await write(chunk);
};

const { SHIM_COMMAND = "", ...env } = process.env;
if (mode === "flood") await flood();
const child = spawn(SHIM_COMMAND, process.argv.slice(2), { env, stdio: ["inherit", "pipe", "inherit"] });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
const closed = once(child, "close");
for await (const chunk of child.stdout)
  if (mode !== "bytes") await write(chunk);
  else
    for (const byte of chunk) {
      await write(Buffer.of(byte));
      if (byte === 0x0a) await write(GARBAGE);
    }
const [code, signal] = await closed;
if (mode === "exit-code") process.exit(code === 0 ? 7 : 0);
process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
