import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useScratch } from "../test/scratch.ts";
import { readFileIfThere } from "./read-file.ts";

const folder = useScratch();
const at = (path: string) => join(folder.root, path);

test("reads a file, also through a link, and says undefined where there is none", () => {
  folder.put("a", "text");
  symlinkSync(at("a"), at("link"));
  symlinkSync(at("nowhere"), at("dangling"));
  expect(["a", "link", "dangling", "b", "a/b"].map((path) => readFileIfThere(at(path)))).toEqual([
    "text",
    "text",
    undefined,
    undefined,
    undefined,
  ]);
});

test("refuses at once what is no file: a FIFO nobody writes to, a device, a socket, a folder", async () => {
  execFileSync("mkfifo", [at("fifo")]);
  expect(() => readFileIfThere(at("fifo"))).toThrow(/fifo is a FIFO, not a file; move it away/);
  symlinkSync("/dev/zero", at("device"));
  expect(() => readFileIfThere(at("device"))).toThrow(/is a device, not a file/);
  const server = createServer().listen(at("socket"));
  await once(server, "listening");
  expect(() => readFileIfThere(at("socket"))).toThrow(/is a socket, not a file/);
  server.close();
  mkdirSync(at("folder"));
  expect(() => readFileIfThere(at("folder"))).toThrow(/EISDIR/);
});

test("refuses a file that is larger than anything that is read whole", () => {
  folder.put("huge", "");
  truncateSync(at("huge"), 300 * 1024 * 1024);
  expect(() => readFileIfThere(at("huge"))).toThrow(/has 314572800 bytes; the most is 268435456/);
});
