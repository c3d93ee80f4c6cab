// Bundles the publisher's page into the few files the server sends; nothing is built on a user's machine.
import { copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const out = at("dist/server/app/assets");

await build({
  entryPoints: { app: at("server/app/ui/main.tsx") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
});
await build({
  entryPoints: [at("server/app/ui/app.css")],
  outdir: out,
  minify: true,
  target: "chrome123",
  logLevel: "warning",
});
copyFileSync(at("server/app/ui/icon.svg"), `${out}/icon.svg`);
