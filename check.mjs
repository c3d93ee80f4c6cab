#!/usr/bin/env node
// The pre-action critic: node check.mjs "<what is about to be done>"; see docs/critic.md.
try {
  const { main } = await import("./dist/scripts/check.js");
  await main();
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
  process.stderr.write(
    "nightshift critic: not built, so nothing was judged; run: npm ci (or npm run build)\n",
  );
  process.exitCode = process.argv.some((word) => word.startsWith("--hook")) ? 2 : 70;
}
