// How agent-search starts on Node; build/search-bundle.mjs puts it beside the bundle.
const fs = require("node:fs");
const { Script } = require("node:vm");

/** Beside the bundle, made by the build; where another Node was built with, in the user's own folder. */
const listPlaces = (folder, source) => {
  const { NIGHTSHIFT_HOME, HOME, USERPROFILE } = process.env;
  const user = NIGHTSHIFT_HOME || `${HOME || USERPROFILE || folder}/.nightshift`;
  // The first characters of the bundle are its hash: V8 itself would only notice another length.
  const name = `search-${source.slice(2, 18)}-${process.version}-${process.arch}.bin`;
  return [folder, `${user}/cache`].map((each) => ({ folder: each, path: `${each}/${name}` }));
};

const readAny = (places) => {
  for (const { path } of places)
    try {
      return fs.readFileSync(path);
    } catch {} // not there, or not ours to read: the next one, or none
  return undefined;
};

const keepSomewhere = (places, data) => {
  for (const { folder, path } of places)
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const temporary = `${path}.${process.pid}`;
      fs.writeFileSync(temporary, data);
      return fs.renameSync(temporary, path);
    } catch {} // a read-only installation, a home that is none: it is slower, and says the same
};

const startOnNode = async () => {
  const filename = `${__dirname}/node.cjs`;
  const source = fs.readFileSync(filename, "latin1");
  const places = listPlaces(__dirname, source);
  const cachedData = readAny(places);
  const script = new Script(`(function(module,loadModule){${source}\n})`, {
    filename,
    cachedData,
  });
  const search = { exports: {} };
  // A compiled script cannot import; what it needs when something has changed is found from here.
  script.runInThisContext()(search, (path) => import(path));
  await search.exports.done;
  if (cachedData === undefined || script.cachedDataRejected) keepSomewhere(places, script.createCachedData());
};

module.exports = startOnNode();
