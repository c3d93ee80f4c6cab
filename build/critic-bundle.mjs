// The critic runs before every action of an agent, and a process that loads thirty small files and parses some
// hundred frames is late. Its light part becomes one file, the frames go in as the data they are parsed to, and
// V8's compiled form lies beside it. What only a changed config needs stays apart.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { parseSync } from "oxc-parser";

const root = dirname(import.meta.dirname);
const folder = join(root, "dist/gates/critic");
const SAMPLES = 40;
// PROCEED: main() sets the exit code of this process, too.
const SPOKEN = ["write the failing test, then fix the parser"];

/** Texts that make every part of the critic run once; without them it is no less right, only slower to start. */
const readSamples = () => {
  const lines = fs.readFileSync(join(root, "gates/critic/testdata/dev.jsonl"), "utf8").trim().split("\n");
  const step = Math.max(1, Math.floor(lines.length / SAMPLES));
  return lines.filter((_, i) => i % step === 0).map((line) => JSON.parse(line).text);
};

/** Word tables and parsed frames: what takes long to make, and is the same for every text. */
const makeTables = async () => {
  await import("../dist/gates/critic/judge.js");
  const { keepTables } = await import("../dist/gates/critic/language/kept-tables.js");
  return keepTables();
};

/** How the tables are made, and what patterns are written like: all that the kept tables stand for. */
const listMade = (node) => {
  const { callee, arguments: given = [] } = node;
  if (node.type === "CallExpression" && ["defineTable", "definePart"].includes(callee.name))
    return [given[1]];
  if (node.type === "CallExpression" && callee.name === "definePattern") return [given[0]];
  if (node.type === "CallExpression" && given[0]?.name === "definePattern") return callee.object.elements;
  if (node.type === "Property" && node.key.name === "pattern" && !node.shorthand) return [node.value];
  return undefined;
};

const eachMade = (node, visit) => {
  if (node === null || typeof node !== "object") return;
  if (typeof node.type === "string") {
    const made = listMade(node);
    if (made) return made.forEach(visit);
  }
  for (const child of Object.values(node)) eachMade(child, visit);
};

/** A process that starts from the kept tables never makes one: neither has it to load what they are made of. */
const withoutMakers = {
  name: "without-makers",
  setup: ({ onLoad }) =>
    onLoad({ filter: /critic.(?:language|opinion|rules).*\.js$/ }, ({ path }) => {
      let contents = fs.readFileSync(path, "utf8");
      const places = [];
      eachMade(parseSync(path, contents).program, ({ type, start, end }) =>
        places.push({ type, start, end }),
      );
      for (const { type, start, end } of places.sort((a, b) => b.start - a.start)) {
        const nothing = type === "ArrowFunctionExpression" ? "undefined" : '""';
        contents = contents.slice(0, start) + nothing + contents.slice(end);
      }
      return { contents, loader: "js" };
    }),
};

const bundleCritic = async (build) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { useTables } from "./language/kept-tables.js";
        useTables(keptTables);
        export { judge } from "./judge.js";
        export { main } from "../../scripts/check.js";`,
      resolveDir: folder,
    },
    plugins: [withoutMakers],
    write: false,
    bundle: true,
    minify: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    logLevel: "error",
    // What only a changed config needs; check.mjs hands its loader in, as a compiled script cannot import.
    external: ["../gates/critic/compile-settings.js"],
    supported: { "dynamic-import": false },
    define: { "import.meta.dirname": "undefined" },
  });
  // ASCII alone, so that one byte is one character: the quickest text to read, and to compare with its compiled form.
  const code = outputFiles[0].text.replace(
    /[^\0-\x7f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `(function(require,keptTables){var module={exports:{}},exports=module.exports;${code}\nreturn module.exports})`;
};

/** What check.mjs starts from, with every function compiled that judging the samples needs. */
const compileBundle = async ({ source, tables, samples }) => {
  const script = new Script(source, { filename: "check-bundle.data" });
  const require = createRequire(import.meta.url);
  const silent = { ...fs, writeSync: (_, bytes) => bytes.length };
  const critic = script.runInThisContext()((name) => (name === "node:fs" ? silent : require(name)), tables);
  for (const text of samples) critic.judge(text);
  process.argv.splice(2, Infinity, ...SPOKEN);
  await critic.main();
  // Whether its sentence passed by this project's own config is not what the build is asked.
  process.exitCode = 0;
  return script.createCachedData();
};

// The compiler copies no data; what is read beside the code lies beside it in dist, too.
fs.copyFileSync(join(root, "gates/critic/opinion/weights.bin"), join(folder, "opinion/weights.bin"));

/** As check.mjs reads it: the places of the parts in the first bytes, then the parts, each at a multiple of eight. */
const HEADER = 512;
const writeBundle = (path, parts, { hash, compiledFor }) => {
  let end = HEADER;
  const places = {};
  const pieces = Object.entries(parts).flatMap(([name, bytes]) => {
    const padding = Buffer.alloc(-end & 7);
    const start = end + padding.length;
    end = start + bytes.length;
    places[name] = [start, end];
    return [padding, bytes];
  });
  const header = Buffer.from(JSON.stringify({ hash, compiledFor, ...places }).padEnd(HEADER));
  if (header.length > HEADER) throw new RangeError("the header of the critic's bundle is full");
  fs.writeFileSync(path, Buffer.concat([header, ...pieces]));
};

try {
  const { build } = await import("esbuild");
  for (const name of fs.readdirSync(folder).filter((file) => /^check-(?:bundle\..*|.*\.bin)$/.test(file)))
    fs.rmSync(join(folder, name));
  const [source, tables] = [await bundleCritic(build), await makeTables()];
  const compiled = await compileBundle({ source, tables, samples: readSamples() });
  const hash = createHash("sha256").update(source).update(tables).digest("hex").slice(0, 16);
  writeBundle(
    join(folder, "check-bundle.data"),
    { source: Buffer.from(source, "latin1"), tables, compiled },
    { hash, compiledFor: `${process.version}-${process.arch}` },
  );
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
}
