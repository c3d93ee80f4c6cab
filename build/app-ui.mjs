// Bundles the publisher's page into the few files the server sends; nothing is built on a user's machine.
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const out = at("dist/server/app/assets");
rmSync(out, { recursive: true, force: true });

await build({
  entryPoints: { app: at("server/app/ui/main.tsx") },
  outdir: out,
  bundle: true,
  // What few people look at is loaded when they do.
  splitting: true,
  chunkNames: "parts/[name]-[hash]",
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
});
await build({
  entryPoints: { sw: at("server/app/ui/sw.ts") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  logLevel: "warning",
});
await build({
  entryPoints: { app: at("server/app/ui/style.css") },
  outdir: out,
  bundle: true,
  minify: true,
  target: "chrome123",
  logLevel: "warning",
});
for (const icon of readdirSync(at("server/app/ui/icons")))
  copyFileSync(at(`server/app/ui/icons/${icon}`), `${out}/${icon}`);
