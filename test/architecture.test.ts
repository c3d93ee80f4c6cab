import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { globSync } from "glob";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const everything = [
  "core",
  "client",
  "db",
  "agents",
  "conversations",
  "gates",
  "sandbox",
  "verdict",
  "notify",
  "worker",
  "runner",
  "tasks",
  "server",
  "queue",
  "pool",
  "webmcp",
  "scripts",
];

/** folder -> folders of ours it may import, besides itself (docs/architecture.md is this table in words) */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  client: ["core", "server"],
  agents: ["core"],
  conversations: ["agents", "core"],
  db: ["core"],
  gates: ["core"],
  sandbox: ["core", "agents"],
  verdict: ["core", "gates"],
  notify: ["core"],
  worker: ["core", "client", "agents", "conversations", "gates", "verdict", "sandbox", "notify"],
  runner: ["core"],
  tasks: everything,
  webmcp: [],
  server: ["core", "db", "webmcp", "queue", "notify"],
  queue: ["core", "db"],
  pool: ["core", "agents", "queue", "sandbox", "worker"],
  scripts: everything,
};

/** outside packages that only the named files may import, so that a later major is a local change */
const PACKAGE_HOMES: Record<string, RegExp> = {
  elysia: /^server\/(.*\/)?(routes|app|listen)\.ts$/,
  "@sinclair/typebox": /^core\/schema\.ts$/,
  "@elysiajs/eden": /^client\//,
  "@opentelemetry": /^worker\/telling\/telemetry\.ts$/,
  "node-sqlite3-wasm": /^(db\/|agents\/sqlite\.ts)/,
  pg: /^db\/postgres\//,
  re2js: /^webmcp\/pattern\.ts$/,
  "bun:sqlite": /^(db\/|conversations\/index-db|agents)\b/,
  "node:sqlite": /^(db\/|conversations\/index-db|agents)\b/,
};

const everySource = globSync(`{${everything.join(",")}}/**/*.{ts,tsx}`, {
  cwd: root,
  ignore: ["**/*.test.ts", "**/fixtures/**", "webmcp/examples/**"],
});
/** All but the pages for browsers, which are built by themselves. */
const sources = everySource.filter((file) => !file.startsWith("server/app/ui/"));

type Import = { specifier: string; typeOnly: boolean; isLazy: boolean };

const importsOf = (file: string): Import[] => {
  const text = readFileSync(join(root, file), "utf8");
  const found: Import[] = [];
  for (const match of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s(type\s)?[^;'"]*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s*["']([^"']+)["']/g,
  )) {
    found.push({
      specifier: match[2] ?? match[3] ?? match[4] ?? "",
      typeOnly: Boolean(match[1]),
      isLazy: match[3] !== undefined,
    });
  }
  return found;
};

const imports = new Map(everySource.map((file) => [file, importsOf(file)]));

test("docs/architecture.md says of each folder what it may import", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const rows = new Map(
    [...page.matchAll(/^\| `([a-z]+)\/` \| .* \| (.*) \|$/gm)].map(([, folder, may]) => [folder, may]),
  );
  for (const [folder, may] of Object.entries(MAY_IMPORT)) {
    const said = rows.get(folder) ?? "";
    if (may === everything) expect(said, folder).toBe("everything");
    else
      expect(new Set([...said.matchAll(/`([a-z]+)`/g)].map(([, name]) => name)), folder).toEqual(
        new Set(may),
      );
  }
});

test("every folder imports only the folders it may", () => {
  const forbidden: string[] = [];
  for (const [file, found] of imports) {
    const from = file.split("/")[0] ?? "";
    for (const { specifier } of found) {
      if (!specifier.startsWith(".")) continue;
      const to = relative(root, resolve(root, dirname(file), specifier)).split("/")[0] ?? "";
      if (to === from || !everything.includes(to)) continue;
      if (!MAY_IMPORT[from]?.includes(to)) forbidden.push(`${file} -> ${specifier}`);
    }
  }
  expect(forbidden).toEqual([]);
});

/** The groups of nodes that reach each other (Tarjan), each sorted. */
const findCircles = (edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] => {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const number = order.size;
    order.set(node, number);
    lowest.set(node, number);
    open.push(node);
    for (const next of edges.get(node) ?? []) {
      const reached = !order.has(next) ? visit(next) : open.includes(next) ? (order.get(next) ?? 0) : number;
      lowest.set(node, Math.min(lowest.get(node) ?? number, reached));
    }
    if (lowest.get(node) === number) {
      const circle = open.splice(open.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest.get(node) ?? number;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return circles;
};

const addEdge = (edges: Map<string, Set<string>>, from: string, to: string): void => {
  if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
};

const targetOf = (file: string, specifier: string): string =>
  relative(root, resolve(root, dirname(file), specifier));

/** Who imports whom, of files of ours. */
const arrows = [...imports].flatMap(([file, found]) =>
  found
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier }) => ({ from: file, to: targetOf(file, specifier) })),
);

test("no files import each other in a circle, not even for types", () => {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of arrows) addEdge(edges, from, to);
  expect(findCircles(edges)).toEqual([]);
});

test("no folders import each other in a circle, however deep they lie", () => {
  // What lies below one folder is that folder's: only siblings are held against each other.
  const siblings = new Map<string, Map<string, Set<string>>>();
  for (const arrow of arrows) {
    const [from, to] = [arrow.from.split("/"), arrow.to.split("/")];
    const depth = from.findIndex((name, index) => name !== to[index]);
    // The last name is a file's: two files of one folder, or a file beside a folder, are no two folders.
    if (depth < 0 || depth >= from.length - 1 || depth >= to.length - 1) continue;
    const parent = from.slice(0, depth).join("/");
    const edges = siblings.get(parent) ?? new Map<string, Set<string>>();
    addEdge(edges, from.slice(0, depth + 1).join("/"), to.slice(0, depth + 1).join("/"));
    siblings.set(parent, edges);
  }
  expect([...siblings.values()].flatMap(findCircles)).toEqual([]);
});

test("of the server, its client takes nothing but types", () => {
  const loading = [...imports]
    .filter(([file]) => file.startsWith("client/"))
    .flatMap(([file, found]) =>
      found.filter((one) => targetOf(file, one.specifier).startsWith("server/") && !one.typeOnly),
    );
  expect(loading).toEqual([]);
});

test("each pinned package is imported only in its own corner", () => {
  const strays: string[] = [];
  for (const file of sources)
    for (const { specifier } of importsOf(file))
      for (const [name, home] of Object.entries(PACKAGE_HOMES))
        if ((specifier === name || specifier.startsWith(`${name}/`)) && !home.test(file))
          strays.push(`${file} -> ${specifier}`);
  expect(strays).toEqual([]);
});

test("nothing but the edges touches process.exit, process.env or console", () => {
  const strays = sources
    .filter((file) => !file.startsWith("scripts/") && file !== "server/main.ts")
    // The text of a script for browsers: its console is the page's.
    .filter((file) => file !== "webmcp/bootstrap-source.ts")
    .filter((file) =>
      /process\.exit\(|process\.env\b|console\.\w+\(/.test(readFileSync(join(root, file), "utf8")),
    );
  expect(strays).toEqual([]);
});

/** Everything that is loaded when a file is, packages by name. */
const loadedBy = (entry: string): Set<string> => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { specifier, typeOnly, isLazy } of importsOf(file)) {
      if (typeOnly || isLazy) continue;
      if (specifier.startsWith(".")) load(relative(root, resolve(root, dirname(file), specifier)));
      else loaded.add(specifier);
    }
  };
  load(entry);
  return loaded;
};

test("the server and its databases start no program", () => {
  const starting = [...imports]
    .filter(([file]) => /^(?:server|db)\//.test(file))
    .filter(([, found]) =>
      found.some(({ specifier }) => /child[_-]process|call-git|git\.ts$/.test(specifier)),
    );
  expect(starting.map(([file]) => file)).toEqual([]);
});

test("a server without a DATABASE_URL loads no client of PostgreSQL", () => {
  const loaded = loadedBy("server/main.ts");
  expect(loaded).toContain("node-sqlite3-wasm");
  expect([...loaded].filter((name) => /^(pg-boss|pg)$/.test(name))).toEqual([]);
  expect(loadedBy("server/open-postgres-stores.ts")).toContain("pg");
});

test("a supervisor loads no OpenTelemetry until somebody asks for it", () => {
  const loaded = loadedBy("scripts/supervisor.ts");
  expect(loaded).toContain("worker/telling/with-telemetry.ts");
  expect([...loaded].filter((name) => name.startsWith("@opentelemetry"))).toEqual([]);
});

test("of the queue, the server loads nothing that runs or knows a worker", () => {
  const entries = [...imports]
    .filter(([file]) => file.startsWith("server/"))
    .flatMap(([file, found]) =>
      found
        .filter(({ specifier }) => specifier.includes("/queue/"))
        .map((one) => targetOf(file, one.specifier)),
    )
    .filter((file) => file.startsWith("queue/"));
  expect(entries).toContain("queue/desk.ts");
  const loaded = entries.flatMap((file) => [...loadedBy(file)]);
  expect(loaded).toContain("pg-boss");
  expect(loaded.filter((file) => /^(?:worker|agents|sandbox|pool)\//.test(file))).toEqual([]);
});
