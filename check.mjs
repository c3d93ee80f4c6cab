#!/usr/bin/env node
// The pre-action critic: node check.mjs "<what is about to be done>"; see docs/critic.md.
// It runs before every action of an agent: where V8's compiled form of its bundle is at hand, it starts from that.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";

const here = import.meta.dirname;
const require = createRequire(import.meta.url);

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
  const bundle = join(here, "dist/gates/critic/check-bundle.cjs");
  if (process.versions.bun !== undefined) return require(bundle).main(loadCompiler);
  const source = readFileSync(bundle, "latin1");
  const places = listPlaces(bundle, source);
  const cachedData = readAny(places);
  const script = new Script(`(function(exports,require,module,__dirname){${source}\n})`, {
    filename: bundle,
    cachedData,
  });
  const critic = { exports: {} };
  script.runInThisContext()(critic.exports, require, critic, dirname(bundle));
  await critic.exports.main(loadCompiler);
  if (cachedData === undefined) keepSomewhere(places, script.createCachedData());
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
