import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { Night } from "../faults/night.ts";

const LONG = { tags: ["long"] };

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const say = (text: string): ScriptedStep => ({ do: "say", text });
const run = (command: string): ScriptedStep => ({ do: "run", command });
const commit = (command: string): ScriptedStep[] => [
  run(`${command} && git add -A && git commit -qm work`),
  say("DONE: all of it"),
];

/** A project whose gate is red until `sum.mjs` adds, with its test committed. */
const project = (dir = "night", health = "node --test test/"): void => {
  night.write(join(dir, "sum.mjs"), "export const sum = (a, b) => a - b;\n");
  night.write(
    join(dir, "test/sum.test.mjs"),
    `import assert from "node:assert";
import { test } from "node:test";
import { sum } from "../sum.mjs";
test("adds", () => assert.equal(sum(1, 2), 3));
`,
  );
  night.write(
    join(dir, "package.json"),
    `{ "type": "module", "scripts": { "test": "node --test test/" } }\n`,
  );
  night.write(join(dir, "vitest.config.ts"), "export default {};\n");
  night.write(join(dir, "gates/health.sh"), `#!/bin/sh\n${health}\n`, 0o755);
  night.git(dir, "init", "-q");
  night.git(dir, "add", "-A");
  night.git(dir, "commit", "-qm", "begin");
};

const MEND = "sed -i 's/a - b/a + b/' sum.mjs";
const rooms = (): string[] => {
  const folder = join(night.root, "home/.nightshift/rooms");
  return existsSync(folder) ? readdirSync(folder) : [];
};

type Cheat = [what: string, command: string, expected: RegExp];
const CHEATS: Cheat[] = [
  [
    "a gate that always passes",
    "printf '#!/bin/sh\\nexit 0\\n' > gates/health.sh",
    /gates\/health\.sh:2 was changed/,
  ],
  [
    "a changed test script",
    `sed -i 's/node --test test./true/' package.json; ${MEND}`,
    /package\.json:1 was changed/,
  ],
];
const MORE_CHEATS: Cheat[] = [
  ["a removed gate", "git rm -q gates/health.sh", /gates\/health\.sh was removed/],
  [
    "a gate that passes through an ignored file",
    "echo x > .gitignore; cp sum.mjs keep; printf 'export const sum = (a, b) => a + b;\\n' > sum.mjs; git update-index --assume-unchanged sum.mjs",
    /sum\.mjs git was told not to look at it/,
  ],
  [
    "a config of the test runner that was added",
    `echo 'export default {}' > jest.config.mjs; ${MEND}`,
    /jest\.config\.mjs:1 was added/,
  ],
  [
    "a config of the test runner that was changed",
    `echo 'export default { test: { passWithNoTests: true } }' > vitest.config.ts; ${MEND}`,
    /vitest\.config\.ts:1 was changed/,
  ],
  [
    "a link out of the repository",
    `ln -s /etc/hosts data; ${MEND}`,
    /data.* is a link out of the repository/,
  ],
  [
    "a program in the way of a gate's",
    `mkdir bin; printf '#!/bin/sh\\n' > bin/node; chmod +x bin/node; ${MEND}`,
    /bin\/node.* is a program with the name/,
  ],
  [
    "packages that are committed",
    `mkdir -p node_modules/x; echo 1 > node_modules/x/index.js; ${MEND}`,
    /installed packages/,
  ],
];

const isRefused = async (_: string, command: string, expected: RegExp): Promise<void> => {
  project();
  const request = await night.plan({
    max: 2,
    parts: [{ steps: commit(command) }, { steps: [say("HANDOFF: more")] }],
  });
  const state = await night.run(request);
  expect(state).toMatchObject({ status: "max-reached", verdict: { word: "refused" } });
  const prompt = night.events().find(({ type, session }) => type === "prompt" && session === 2);
  expect(String(prompt?.["prompt"])).toMatch(expected);
  expect(rooms()).toEqual([]);
};

const REFUSED = "%s is refused, named in the next prompt, and leaves no room behind";
test.each(CHEATS)(REFUSED, isRefused);
test.each(MORE_CHEATS)(REFUSED, LONG, isRefused);

test("a gate that needs a file which git ignores is red in the clean checkout", async () => {
  project("night", "test -f built.txt");
  night.write("night/.gitignore", "built.txt\n");
  night.git("night", "add", "-A");
  night.git("night", "commit", "-qm", "ignore");
  const request = await night.plan({
    max: 1,
    parts: [{ steps: [run("touch built.txt"), ...commit("echo x > more.txt")] }],
  });
  const state = await night.run(request);
  expect(state.verdict?.reasons[0]?.message).toContain("in a clean checkout of the commit");
  expect(state.status).toBe("max-reached");
});

test(
  "gates that are red in the clean checkout alone, twice in a row, are for a person to look at",
  LONG,
  async () => {
    project("night", "test -f built.txt");
    night.write("night/.gitignore", "built.txt\n");
    night.git("night", "add", "-A");
    night.git("night", "commit", "-qm", "ignore");
    const steps = [run("touch built.txt"), ...commit("echo x >> more.txt")];
    const state = await night.run(await night.plan({ parts: [{ steps }] }));
    expect(state).toMatchObject({ status: "unverified", session: 2 });
    expect(state.stopReason).toContain("healthy in the project's folder but red in a clean checkout");
  },
);

test("another content under an object's name is found", async () => {
  project();
  const forge = `blob=$(git rev-parse HEAD:gates/health.sh); file=.git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-); chmod u+w $file; node -e '
    const text = "#!/bin/sh\\nexit 0\\n";
    require("fs").writeFileSync(process.argv[1], require("zlib").deflateSync("blob " + text.length + "\\0" + text))' $file`;
  const request = await night.plan({
    max: 1,
    parts: [{ steps: [...commit("echo x > more.txt").slice(0, 1), run(forge), say("DONE: all")] }],
  });
  const state = await night.run(request);
  expect(state.verdict?.word).toBe("refused");
  expect(JSON.stringify(state.verdict?.reasons)).toMatch(
    /object store was written to by hand|cannot be checked out/,
  );
});

test("honest work is complete, with a receipt and a note", async () => {
  project();
  const request = await night.plan({ parts: [{ steps: commit(MEND) }] });
  const state = await night.run(request);
  expect(state).toMatchObject({
    status: "complete",
    verdict: { word: "complete", where: "clean", reasons: [] },
  });
  expect(existsSync(state.verdict?.receipt ?? "")).toBe(true);
  expect(night.git("night", "log", "--notes=nightshift", "-1")).toContain("Nightshift: complete");
  expect(rooms()).toEqual([]);
});

test(
  "honest work may add tests, scripts, dependencies and snapshots, and change tests that still pass as they were",
  LONG,
  async () => {
    project();
    const more = `${MEND}; echo '// a note' >> test/sum.test.mjs; cp test/sum.test.mjs test/more.test.mjs; mkdir __snapshots__; echo one > __snapshots__/a.snap; sed -i 's/"scripts": {/"dependencies": { "left-pad": "^1.0.0" }, "scripts": { "dev": "node .", /' package.json`;
    const state = await night.run(await night.plan({ parts: [{ steps: commit(more) }] }));
    expect(state).toMatchObject({ status: "complete", verdict: { reasons: [] } });
  },
);

test("a test that was changed to fit the code is for a person to decide", async () => {
  project();
  const request = await night.plan({ parts: [{ steps: commit("sed -i 's/, 3/, -1/' test/sum.test.mjs") }] });
  const state = await night.run(request);
  expect(state.status).toBe("unverified");
  expect(state.verdict?.reasons).toContainEqual(
    expect.objectContaining({ kind: "base tests", weight: "undecided", file: "test/sum.test.mjs" }),
  );
});

test(
  "what the config allowed at the start may be changed, not what the agent allows itself",
  LONG,
  async () => {
    project();
    const allowed = await night.plan({
      mayChange: ["gates/**", "test/**"],
      parts: [{ steps: commit(`${MEND}; echo '# more' >> gates/health.sh`) }],
    });
    expect(await night.run(allowed)).toMatchObject({ status: "complete" });
    project("self");
    const own = `${MEND}; echo '# more' >> gates/health.sh; echo '{"workers":{"self":{"mayChange":["**"]}}}' > agent.config.json`;
    const self = await night.plan({ name: "self", max: 1, parts: [{ steps: commit(own) }] });
    expect(await night.run(self)).toMatchObject({ status: "max-reached", verdict: { word: "refused" } });
  },
);

test("a sealed file that the task names is for a person to decide", LONG, async () => {
  project();
  const parts = [{ steps: commit(`${MEND}; echo 'export default { test: {} }' > vitest.config.ts`) }];
  const state = await night.run(await night.plan({ task: "Mend sum and set vitest.config.ts up", parts }));
  expect(state).toMatchObject({
    status: "unverified",
    verdict: { reasons: [{ kind: "sealed", file: "vitest.config.ts" }] },
  });
});

test("in the project's own folder the gates run as before, and the verdict says so", async () => {
  project("night", "test -f built.txt");
  night.config = { verify: { where: "tree" } };
  night.write("night/.gitignore", "built.txt\n");
  night.git("night", "add", "-A");
  night.git("night", "commit", "-qm", "ignore");
  const request = await night.plan({
    parts: [{ steps: [run("touch built.txt"), ...commit("echo x > more.txt")] }],
  });
  expect(await night.run(request)).toMatchObject({ status: "complete", verdict: { where: "tree" } });
});

test(
  "gates that load a config of code run in the checkout as that was trusted in the project, and no longer",
  LONG,
  async () => {
    project("night", `exec node ${join(import.meta.dirname, "../../dist/scripts/nightshift.js")} gate`);
    night.write(
      "night/agent.config.mjs",
      `export default { gates: { test: { command: "node --test test/" } } };\n`,
    );
    night.git("night", "add", "-A");
    night.git("night", "commit", "-qm", "configure");
    const { recordTrust, listTrust } = await import("../../core/config/trust-record.ts");
    const root = join(night.root, "night");
    recordTrust(night.env, { root, entries: [join(root, "agent.config.mjs")] });
    const state = await night.run(await night.plan({ parts: [{ steps: commit(MEND) }] }));
    expect(state).toMatchObject({ status: "complete", verdict: { reasons: [] } });
    expect(listTrust(night.env).map((record) => record.project)).toEqual([root]);
  },
);
