#!/usr/bin/env node
// The pre-action critic: node check.mjs "<what is about to be done>"; see docs/critic.md.
const load = async () => {
  try {
    return await import("./dist/gates/critic/check-bundle.js");
  } catch (error) {
    if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    return import("./dist/scripts/check.js");
  }
};

let critic;
try {
  critic = await load();
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
  process.stderr.write(
    "nightshift critic: not built, so nothing was judged; run: npm ci (or npm run build)\n",
  );
  process.exit(process.argv.some((word) => word.startsWith("--hook")) ? 2 : 70);
}
await critic.main();
