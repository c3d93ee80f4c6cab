import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { globSync } from "glob";
import { expect, test } from "vitest";

const sources = globSync("*.ts", { cwd: import.meta.dirname }).filter((name) => !name.endsWith(".test.ts"));

test("imports nothing but its own files, so that it bundles for any runtime", async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, "index.ts")],
    bundle: true,
    write: false,
    metafile: true,
    platform: "neutral",
    format: "esm",
    logLevel: "silent",
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.length).toBeGreaterThan(20);
  expect(inputs.filter((path) => !/(^|\/)webmcp\/[\w-]+\.ts$/.test(path))).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap((output) => output.imports)).toEqual([]);
});

test("never makes code out of text", () => {
  for (const name of sources)
    expect([
      name,
      /\beval\(|\bFunction\(|new Function/.test(readFileSync(join(import.meta.dirname, name), "utf8")),
    ]).toEqual([name, false]);
});
