import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { globSync } from "glob";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const pages = [
  "README.md",
  "AGENTS.md",
  "CHANGELOG.md",
  ...globSync("docs/**/*.md", { cwd: root, ignore: "docs/.vitepress/**" }),
];

test.each(pages)("every link of %s leads somewhere", (page) => {
  const text = readFileSync(join(root, page), "utf8").replace(/```[\s\S]*?```/g, "");
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
  const broken = links.filter(
    (link) => !/^[a-z]+:/.test(link) && !existsSync(resolve(root, dirname(page), link)),
  );
  expect(broken).toEqual([]);
});

test("every page of docs/ is reached from the README", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const lonely = pages.filter(
    (page) => page.startsWith("docs/") && page !== "docs/index.md" && !readme.includes(`(${page})`),
  );
  expect(lonely).toEqual([]);
});
