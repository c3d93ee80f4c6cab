#!/usr/bin/env node
// The pre-action critic: node check.mjs "<what is about to be done>"; see docs/critic.md.
// It runs before every action of an agent: where V8's compiled form of its bundle is at hand, it starts from that.
// Node's own modules are asked for, not imported: a module's worth of export names costs more than what is used of it.
const { mkdirSync, readFileSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

const here = import.meta.dirname;

/** Beside the bundle, made by the build; where another Node was built with, in the user's own folder. */
const listPlaces = (bundle, source) => {
  const { NIGHTSHIFT_HOME, HOME, USERPROFILE } = process.env;
  const user = NIGHTSHIFT_HOME || join(HOME || USERPROFILE || here, ".nightshift");
  // The first characters of the bundle are its hash: V8 itself would only notice another length.
  const name = `check-${source.slice(2, 18)}-${process.version}-${process.arch}.bin`;
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

const runBundle = async () => {
  const bundle = join(here, "dist/gates/critic/check-bundle.js");
  const source = readFileSync(bundle, "latin1");
  const places = listPlaces(bundle, source);
  const isNode = process.versions.bun === undefined;
  const cachedData = isNode ? readAny(places) : undefined;
  const { Script } = process.getBuiltinModule("node:vm");
  const script = new Script(source, { filename: bundle, cachedData });
  const critic = script.runInThisContext()(process.getBuiltinModule, dirname(bundle));
  await critic.main(loadCompiler);
  if (isNode && cachedData === undefined) keepSomewhere(places, script.createCachedData());
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
