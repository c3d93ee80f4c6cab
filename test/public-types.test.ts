import { spawnSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { useScratch } from "./scratch.ts";

const repository = resolve(import.meta.dirname, "..");
const project = useScratch();

const check = (): string => {
  const tsc = join(repository, "node_modules/.bin/tsc");
  return spawnSync(tsc, ["--noEmit", "-p", "."], { cwd: project.root, encoding: "utf8" }).stdout;
};

test("config and tasks are typed in a strict project that has no types of Node, and checks libraries", () => {
  const own = join(project.root, "node_modules/nightshift");
  cpSync(join(repository, "package.json"), join(own, "package.json"));
  // Only what the main entry leads to: nothing of it may name a package.
  for (const folder of ["core", "runner"])
    cpSync(join(repository, "dist", folder), join(own, "dist", folder), {
      recursive: true,
      filter: (path) => !/\.m?js$/.test(path),
    });
  cpSync(join(repository, "dist/index.d.ts"), join(own, "dist/index.d.ts"));
  expect(readdirSync(join(project.root, "node_modules"))).toEqual(["nightshift"]);
  project.put(
    "tsconfig.json",
    `{ "compilerOptions": { "strict": true, "exactOptionalPropertyTypes": true, "skipLibCheck": false, "types": [], "module": "nodenext" } }`,
  );
  project.put("package.json", `{ "type": "module" }`);
  project.put(
    "agent.config.ts",
    `import { defineConfig } from "nightshift";
export default defineConfig({ gates: { test: { command: "npm test", severity: "warn" }, any: { builtin: "any" } } });
`,
  );
  project.put(
    "tasks/build.ts",
    `import { defineTask } from "nightshift";
export default defineTask({
  title: "Build",
  args: { version: { type: "string", required: true }, count: { type: "number", default: 1 } },
  run: async ({ $, args, log, signal }) => {
    const { stdout, exitCode } = await $\`echo \${args.version} \${args.count + 1}\`.nothrow().quiet();
    log(\`\${stdout.trim()} \${exitCode} \${signal.aborted}\`);
    const lines: string[] = await $({ cwd: "src" })\`ls\`.lines();
    await $\`echo \${lines}\`.pipe($\`cat\`);
    return $\`true\`.timeout("5s");
  },
});
`,
  );
  expect(check()).toBe("");
  project.put("agent.config.ts", project.read("agent.config.ts").replace("severity", "severty"));
  expect(check()).toMatch(/agent\.config\.ts.*'severty'/);
});
