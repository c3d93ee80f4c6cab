#!/usr/bin/env node
// The pre-action critic: node check.mjs "<what is about to be done>"; see docs/critic.md.
// It runs before every action of an agent: where V8's compiled form of its bundle is at hand, it starts from that.
// Node's own modules are asked for, not imported: a module's worth of export names costs more than what is used of it.
const fs = process.getBuiltinModule("node:fs");
const path = process.getBuiltinModule("node:path");

const here = import.meta.dirname;

/** The start of the bundle's file says where in it its parts lie. */
const HEADER = 512;
const runtime = `${process.version}-${process.arch}`;

/** Where another Node was built with, its compiled form is kept beside the bundle, or in the user's own folder. */
const listPlaces = (bundle, hash) => {
  const { NIGHTSHIFT_HOME, HOME, USERPROFILE } = process.env;
  const user = NIGHTSHIFT_HOME || path.join(HOME || USERPROFILE || here, ".nightshift");
  // Named after what was compiled: V8 itself would only notice another length.
  const name = `check-${hash}-${runtime}.bin`;
  return [path.join(path.dirname(bundle), name), path.join(user, "cache", name)];
};

const readAny = (places) => {
  for (const place of places)
    try {
      return fs.readFileSync(place);
    } catch {} // not there, or not ours to read: the next one, or none
  return undefined;
};

const keepSomewhere = (places, data) => {
  for (const place of places)
    try {
      fs.mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 });
      const temporary = `${place}.${process.pid}`;
      fs.writeFileSync(temporary, data);
      return fs.renameSync(temporary, place);
    } catch {} // a read-only installation, a home that is none: it is slower, and says the same
};

const loadCompiler = () => import("./dist/gates/critic/compile-settings.js");

/** The bundle: one file, because to open three takes longer than to read one of their size. */
const openBundle = () => {
  const filename = path.join(here, "dist/gates/critic/check-bundle.data");
  try {
    const file = fs.readFileSync(filename);
    const { hash, compiledFor, source, tables, compiled } = JSON.parse(file.latin1Slice(0, HEADER));
    const places = compiledFor === runtime ? [] : listPlaces(filename, hash);
    const cachedData = compiledFor === runtime ? file.subarray(...compiled) : readAny(places);
    return {
      filename,
      places,
      cachedData,
      source: file.latin1Slice(...source),
      tables: file.subarray(...tables),
    };
  } catch {
    return undefined; // without the development tools none is made; one that is damaged is as good as none
  }
};

/**
 * V8 compiles what has run a few times to machine code, which takes a third of the time of judging a sentence and
 * pays off only after it: the process is over by then. What is hot in a long text it optimises all the same. The
 * public way to say so (`node:v8`) loads more than it saves; where the short one is gone, it is only slower.
 */
const skipBaselineCompiler = () => {
  const { noDeprecation } = process;
  try {
    process.noDeprecation = true;
    process.binding("v8").setFlagsFromString("--no-sparkplug");
  } catch {
    // This runtime has no such way, or no such compiler.
  } finally {
    process.noDeprecation = noDeprecation;
  }
};

const runBundle = async ({ filename, places, cachedData, source, tables }) => {
  const isNode = process.versions.bun === undefined;
  const { Script } = process.getBuiltinModule("node:vm");
  const script = new Script(source, { filename, cachedData: isNode ? cachedData : undefined });
  // Not before: V8 refuses what was compiled under other settings, and keeps them with what it compiles.
  if (isNode && cachedData !== undefined) skipBaselineCompiler();
  const critic = script.runInThisContext()((name) => process.getBuiltinModule(name), tables);
  const isWritten = await critic.main(loadCompiler);
  if (isNode && cachedData === undefined) keepSomewhere(places, script.createCachedData());
  return isWritten;
};

/** The files one by one are slower, and give the same answers. */
const runFiles = async () => (await import("./dist/scripts/check.js")).main();

try {
  const bundle = openBundle();
  const isWritten = await (bundle ? runBundle(bundle) : runFiles());
  // There is nothing to wait for, and to clean up takes time.
  if (isWritten) process.exit();
} catch (error) {
  if (!["ENOENT", "ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(error?.code)) throw error;
  process.stderr.write(
    "nightshift critic: not built, so nothing was judged; run: npm ci (or npm run build)\n",
  );
  process.exit(process.argv.some((word) => word.startsWith("--hook")) ? 2 : 70);
}
