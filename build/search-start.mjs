// What dist/scripts/agent-search.js becomes; build/search-bundle.mjs puts `// @bun` before it, so that Bun takes it
// as it is. Nothing is imported: on Bun each module of Node's would cost more than a search.

/** Beside the bundle, made by the build; where another Node was built with, in the user's own folder. */
const listPlaces = (folder, source) => {
  const { NIGHTSHIFT_HOME, HOME, USERPROFILE } = process.env;
  const user = NIGHTSHIFT_HOME || `${HOME || USERPROFILE || folder}/.nightshift`;
  // The first characters of the bundle are its hash: V8 itself would only notice another length.
  const name = `search-${source.slice(2, 18)}-${process.version}-${process.arch}.bin`;
  return [folder, `${user}/cache`].map((each) => ({ folder: each, path: `${each}/${name}` }));
};

const readAny = (fs, places) => {
  for (const { path } of places)
    try {
      return fs.readFileSync(path);
    } catch {} // not there, or not ours to read: the next one, or none
  return undefined;
};

const keepSomewhere = (fs, places, data) => {
  for (const { folder, path } of places)
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const temporary = `${path}.${process.pid}`;
      fs.writeFileSync(temporary, data);
      return fs.renameSync(temporary, path);
    } catch {} // a read-only installation, a home that is none: it is slower, and says the same
};

const startOnNode = async () => {
  const fs = process.getBuiltinModule("node:fs");
  const { constants, Script } = process.getBuiltinModule("node:vm");
  const folder = `${import.meta.dirname}/search`;
  const source = fs.readFileSync(`${folder}/node.cjs`, "latin1");
  const places = listPlaces(folder, source);
  const cachedData = readAny(fs, places);
  const script = new Script(`(function(module){${source}\n})`, {
    // What it imports when something has changed is found from here.
    filename: `${folder}/node.cjs`,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    cachedData,
  });
  const search = { exports: {} };
  script.runInThisContext()(search);
  await search.exports.done;
  if (cachedData === undefined || script.cachedDataRejected)
    keepSomewhere(fs, places, script.createCachedData());
};

if (process.versions.bun) import.meta.require("./search/bun.js");
else await startOnNode();
