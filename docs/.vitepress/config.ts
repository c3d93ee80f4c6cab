import { copyFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig, type HeadConfig } from "vitepress";
import { sideBar } from "./groups.ts";

const pages = readdirSync(resolve(import.meta.dirname, ".."))
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.slice(0, -".md".length));

const DESCRIPTION = "Runs coding agents unattended, and calls their work done only when your gates agree.";

/** Where the site will be, for the card that others show of it: they take whole addresses only. */
const origin = process.env["DOCS_URL"]?.replace(/\/$/, "");

const HEAD = [
  // The theme's grey for the language of a listing has too little contrast.
  ["style", {}, ".vp-doc div[class*='language-'] > span.lang { color: var(--vp-c-text-2) }"],
  ["meta", { property: "og:title", content: "Nightshift" }],
  ["meta", { property: "og:description", content: DESCRIPTION }],
  ["meta", { property: "og:type", content: "website" }],
] satisfies HeadConfig[];

const PICTURE = (address: string) =>
  [
    ["meta", { property: "og:image", content: `${address}/social-card.png` }],
    ["meta", { name: "twitter:card", content: "summary_large_image" }],
  ] satisfies HeadConfig[];

export default defineConfig({
  title: "Nightshift",
  description: DESCRIPTION,
  lang: "en",
  cleanUrls: true,
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: "/logo.svg" }],
    ...HEAD,
    ...(origin === undefined ? [] : PICTURE(origin)),
  ],
  // The reader's own server. Every other link that leads nowhere fails the build.
  ignoreDeadLinks: [/^https?:\/\/localhost/],
  // Pages are plain Markdown: `{id}` is a path's parameter and `<name>` an argument, not attributes and tags.
  markdown: {
    html: false,
    // The comments of the usual themes have too little contrast.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    attrs: { disable: true },
    config: (md) => {
      // `${{ … }}` in code is somebody else's template, not the site's.
      md.core.ruler.push("code-is-text", ({ tokens }) => {
        for (const child of tokens.flatMap(({ children }) => children ?? []))
          if (child.type === "code_inline") child.attrSet("v-pre", "");
      });
    },
  },
  // Pages link to it; what is in public/ would lie twice in the repository.
  buildEnd: ({ outDir }) => {
    const name = "worker-state.schema.json";
    copyFileSync(resolve(import.meta.dirname, "..", name), join(outDir, name));
  },
  themeConfig: {
    logo: "/logo.svg",
    sidebar: sideBar(pages),
    outline: [2, 3],
    search: { provider: "local" },
  },
});
