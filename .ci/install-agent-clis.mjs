// Installs the pinned agent CLIs (test/agent-clis.json), or those named as arguments, into the cache folder
// outside the checkout: NIGHTSHIFT_AGENT_CLIS, else ~/.cache/nightshift/agent-clis. What is there is kept.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const clis = JSON.parse(readFileSync(new URL("../test/agent-clis.json", import.meta.url), "utf8"));
const cache = process.env.NIGHTSHIFT_AGENT_CLIS ?? join(homedir(), ".cache/nightshift/agent-clis");
const wanted = process.argv.length > 2 ? ["node", ...process.argv.slice(2)] : Object.keys(clis);
// A newer Node than ours, for those that need one; it is the first of the list.
const newerNode = join(cache, `node-${clis.node.version}`, "node_modules/.bin");

mkdirSync(cache, { recursive: true });
for (const name of wanted) {
  const { package: id, version, program, args = [], needsNode = false } = clis[name] ?? {};
  if (!id)
    throw new Error(
      `no agent CLI ${name} in test/agent-clis.json; there are ${Object.keys(clis).join(", ")}`,
    );
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(join(folder, "node_modules/.bin", program))) {
    console.log(`${name} ${version}: there`);
    continue;
  }
  // Beside its place first: an interrupted installation is never taken for a whole one.
  const fresh = mkdtempSync(join(cache, `.${name}-`));
  try {
    writeFileSync(join(fresh, "package.json"), '{ "private": true }\n');
    execFileSync(
      "npm",
      ["install", "--no-audit", "--no-fund", "--loglevel=error", ...args, `${id}@${version}`],
      {
        cwd: fresh,
        // npm leaves out what the Node that runs it is too old for.
        env: needsNode ? { ...process.env, PATH: `${newerNode}:${process.env.PATH}` } : process.env,
        stdio: ["ignore", "inherit", "inherit"],
      },
    );
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  console.log(`${name} ${version}: installed`);
}
