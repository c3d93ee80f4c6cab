#!/usr/bin/env node
// The pre-action critic: node check.mjs "<what is about to be done>"; see docs/critic.md.
// It runs before every action of an agent: where V8's compiled form of its bundle is at hand, it starts from that.
// Node's own modules are asked for, not imported: a module's worth of export names costs more than what is used of it.
const { mkdirSync, readFileSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

const here = import.meta.dirname;

/** The start of the bundle's file says where in it its parts lie. */
const HEADER = 512;
const runtime = `${process.version}-${process.arch}`;

/** Where another Node was built with, its compiled form is kept beside the bundle, or in the user's own folder. */
const listPlaces = (bundle, hash) => {
  const { NIGHTSHIFT_HOME, HOME, USERPROFILE } = process.env;
  const user = NIGHTSHIFT_HOME || join(HOME || USERPROFILE || here, ".nightshift");
  // Named after what was compiled: V8 itself would only notice another length.
  const name = `check-${hash}-${runtime}.bin`;
  return [join(dirname(bundle), name), join(user, "cache", name)];
};

const readAny = (places) => {
  for (const place of places)
    try {
      return readFileSync(place);
    } catch {} // not there, or not ours to read: the next one, or none
  return undefined;
};

const keepSomewhere = (places, data) => {
  for (const place of places)
    try {
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      const temporary = `${place}.${process.pid}`;
      writeFileSync(temporary, data);
      return renameSync(temporary, place);
    } catch {} // a read-only installation, a home that is none: it is slower, and says the same
};

const loadCompiler = () => import("./dist/gates/critic/compile-settings.js");

/** One file, because to open three takes longer than to read one of their size. */
const runBundle = async () => {
  const bundle = join(here, "dist/gates/critic/check-bundle.bin");
  const file = readFileSync(bundle);
  const { hash, compiledFor, source, tables, compiled } = JSON.parse(file.latin1Slice(0, HEADER));
  const isCompiled = compiledFor === runtime;
  const isNode = process.versions.bun === undefined;
  const places = isCompiled ? [] : listPlaces(bundle, hash);
  const cachedData = !isNode ? undefined : isCompiled ? file.subarray(...compiled) : readAny(places);
  const { Script } = process.getBuiltinModule("node:vm");
  const script = new Script(file.latin1Slice(...source), { filename: bundle, cachedData });
  const critic = script.runInThisContext()(process.getBuiltinModule, file.subarray(...tables));
  const isWritten = await critic.main(loadCompiler);
  if (isNode && cachedData === undefined) keepSomewhere(places, script.createCachedData());
  // There is nothing to wait for, and to clean up takes time.
  if (isWritten) process.exit();
};

const isMissing = (error) => ["ENOENT", "ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(error?.code);
const runFiles = async () => (await import("./dist/scripts/check.js")).main();

/** Without the development tools no bundle is made: the files one by one are slower, and give the same answers. */
try {
  await runBundle().catch((error) => {
    if (!isMissing(error)) throw error;
    return runFiles();
  });
} catch (error) {
  if (!isMissing(error)) throw error;
  process.stderr.write(
    "nightshift critic: not built, so nothing was judged; run: npm ci (or npm run build)\n",
  );
  process.exit(process.argv.some((word) => word.startsWith("--hook")) ? 2 : 70);
}
