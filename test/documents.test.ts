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

const readPage = (path: string): string => readFileSync(path, "utf8").replace(/```[\s\S]*?```/g, "");

/** The anchor that GitHub and the site make of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
const anchorsOf = (path: string): string[] =>
  [...readPage(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));

test.each(pages)("every link of %s leads somewhere, to a heading where it names one", (page) => {
  const links = [...readPage(join(root, page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const path = file === "" ? join(root, page) : resolve(root, dirname(page), file);
    return !existsSync(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor));
  });
  expect(broken).toEqual([]);
});

test("every page that a message or help names comes with the package", () => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  const packed = new Set(globSync(files, { cwd: root }));
  const sources = globSync(
    "{agents,conversations,core,db,gates,queue,runner,scripts,server,webmcp,worker}/**/*.ts",
    {
      cwd: root,
      ignore: "**/*.test.ts",
    },
  );
  const named = sources.flatMap((file) =>
    [
      ...readFileSync(join(root, file), "utf8")
        .replace(/^\s*(?:\/\/|\/?\*).*$/gm, "")
        .matchAll(/docsPage\("([\w-]+\.md)"\)|(?<![\w/])docs\/([\w-]+\.md)/g),
    ].map(([, page, path]) => `docs/${page ?? path}`),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((page) => !packed.has(page))).toEqual([]);
});

test("every page of docs/ is reached from the README", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const lonely = pages.filter(
    (page) => page.startsWith("docs/") && page !== "docs/index.md" && !readme.includes(`(${page})`),
  );
  expect(lonely).toEqual([]);
});

test("every file of the sources that docs/security.md names is there", () => {
  const named = [
    ...readPage(join(root, "docs/security.md")).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.[cm]?[jt]s)`/g),
  ];
  const paths = named.map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every point of the list in docs/security.md names where it is met, or says why it is not", () => {
  const list = readPage(join(root, "docs/security.md")).split("## OWASP ASVS")[1] ?? "";
  const rows = list.split("\n").filter((line) => /^\| \d/.test(line));
  expect(rows.length).toBeGreaterThan(40);
  const isPlace = (row: string): boolean => /`[\w./-]+\/[\w.-]+\.ts`|`package-lock\.json`/.test(row);
  expect(rows.filter((row) => !isPlace(row) && !/\| (?:not met|does not apply)/.test(row))).toEqual([]);
});
