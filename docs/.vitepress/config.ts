import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig } from "vitepress";

const folder = resolve(import.meta.dirname, "..");

/** Every page by its own heading, which is the question it answers. */
const pages = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "index.md")
  .map((name) => {
    const heading = /^# (.+)$/m.exec(readFileSync(resolve(folder, name), "utf8"))?.[1] ?? name;
    return { text: heading, link: `/${name.slice(0, -".md".length)}` };
  });

export default defineConfig({
  title: "Nightshift",
  description:
    "Runs coding agents unattended: workers, gates, memory, publishing and WebMCP from one typed config.",
  lang: "en",
  cleanUrls: true,
  // Pages also link to files of the repository, which the site does not hold, and to the reader's own server.
  ignoreDeadLinks: [/^(?:\.\/)?\.\.\//, /^https?:\/\/localhost/],
  // Pages are plain Markdown: `{id}` is a path's parameter and `<name>` an argument, not attributes and tags.
  markdown: { html: false, attrs: { disable: true } },
  themeConfig: {
    sidebar: [{ text: "Questions", items: pages }],
    outline: [2, 3],
    search: { provider: "local" },
  },
});
