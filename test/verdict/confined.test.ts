import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { systemClock } from "../../core/clock.ts";
import { bubblewrap } from "../../sandbox/fixtures/escape-lab.ts";
import { openEnvelope } from "../../verdict/receipt/envelope.ts";
import { isStatement } from "../../verdict/receipt/statement.ts";
import { verifyWorker } from "../../worker/loop/person-verdict.ts";
import { Night } from "../faults/night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
  night.write("home/.ssh/id", "canary-key");
});
afterEach(() => night.dispose());

const done = (...commands: string[]): ScriptedStep[] => [
  ...commands.map((command) => ({ do: "run" as const, command })),
  { do: "run", command: "git add -A && git commit -qm work" },
  { do: "say", text: "DONE: it" },
];

/** Tries everything that a session may not, and writes down in the project what it got; the gates stay green. */
const ATTACK = [
  "out=$(cat ~/.ssh/id ~/.nightshift/keys/receipts.pem 2>/dev/null)",
  'touch "$HOME/.ssh/new" "$HOME/.bashrc" 2>/dev/null',
  '[ -n "$DATABASE_SECRET" ] && out="$out $DATABASE_SECRET"',
  'echo "got: $out"',
].join("\n");

const receiptOf = (path: string | undefined) => {
  const { statement } = openEnvelope(readFileSync(path ?? "", "utf8"), []);
  if (!isStatement(statement)) throw new Error("no statement");
  return statement.predicate;
};

const settingsOf =
  ({ sandbox, agents }: Awaited<ReturnType<Night["plan"]>>) =>
  () =>
    Promise.resolve({ sandbox, agents });

const verify = (request: Awaited<ReturnType<Night["plan"]>>, notes: string[] = []) =>
  verifyWorker(
    {
      env: night.env,
      clock: systemClock,
      home: night.home,
      signal: new AbortController().signal,
      note: (line) => notes.push(line),
    },
    "night",
    settingsOf(request),
  );

test.skipIf(bubblewrap === undefined)(
  "gates of a verdict read no secret, write nothing outside of their room, and have no key of receipts",
  async () => {
    night.env["DATABASE_SECRET"] = "canary-variable";
    // What a session wrote: its gates call a script that is no rule, and that is what it changes.
    night.write("night/tool.sh", "echo green\n");
    const health = `sh -c '. ./$(echo too)l.sh' > result; cat result; exit 1`;
    night.git(".", "init", "-q", "night");
    night.write("night/gates/health.sh", `#!/bin/sh\n${health}\n`, 0o755);
    night.write("night/.gitignore", "result\n");
    night.git("night", "add", "-A");
    night.git("night", "commit", "-qm", "first");
    const attack = `cat > tool.sh <<'END'\n${ATTACK}\nEND`;
    const request = await night.plan({ max: 1, parts: [{ steps: done(attack) }] });
    const state = await night.run(request);
    expect(state.verdict?.reasons).toMatchObject([{ kind: "gates" }]);
    const receipt = receiptOf(state.verdict?.receipt);
    expect(JSON.stringify(receipt.reasons)).toContain("got:");
    expect(JSON.stringify(receipt)).not.toMatch(/canary|private_key/);
    const left = [".ssh/new", ".bashrc"].filter((path) => existsSync(join(night.root, "home", path)));
    expect(left).toEqual([]);
    expect(receipt.sandbox).toEqual({ sessions: "bubblewrap", verdict: "bubblewrap" });

    const again = receiptOf((await verify(request)).receipt);
    expect(JSON.stringify(again.reasons)).toContain("got:");
    expect(JSON.stringify(again)).not.toMatch(/canary|private_key/);
    expect(again.sandbox).toEqual({ sessions: "bubblewrap", verdict: "bubblewrap" });
    expect(existsSync(join(night.root, "home/.bashrc"))).toBe(false);

    // With all rights of the user all of it works, or this would prove nothing.
    night.sandbox = "none";
    const open = await night.run(
      await night.plan({ name: "open", dir: "night", max: 1, parts: [{ steps: done("echo > a") }] }),
    );
    const reasons = JSON.stringify(receiptOf(open.verdict?.receipt).reasons);
    for (const secret of ["canary-key", "canary-variable", "private_key"]) expect(reasons).toContain(secret);
    expect(existsSync(join(night.root, "home/.bashrc"))).toBe(true);
  },
);

test.skipIf(bubblewrap === undefined)(
  "the preparation calls whom it may through the proxy, and nobody else",
  async () => {
    const heard: string[] = [];
    const server = createServer((request, response) => {
      heard.push(request.url ?? "");
      response.end("here\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const ask = (name: string) =>
      `node -e 'fetch("http://127.0.0.1:${port}/${name}").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))'`;
    try {
      // Direct: no loopback but its own.
      night.config = { verify: { prepare: `${ask("direct")} && exit 1; touch $HOME/stays; true` } };
      const request = await night.plan({
        max: 1,
        health: "exit 0",
        parts: [{ steps: done("echo a > a.txt") }],
      });
      expect(await night.run(request)).toMatchObject({ verdict: { word: "complete" } });
      expect(heard).toEqual([]);
      expect(existsSync(join(night.root, "home/stays"))).toBe(false);

      const curl = `curl -sf --noproxy '' http://127.0.0.1:${port}/allowed`;
      night.config = {
        sandbox: { network: { allow: [`127.0.0.1:${port}`] } },
        verify: { prepare: curl },
      };
      const allowed = await night.plan({
        name: "other",
        max: 1,
        health: "exit 0",
        parts: [{ steps: done("echo a > a.txt") }],
      });
      expect(await night.run(allowed)).toMatchObject({ verdict: { word: "complete" } });
      expect(heard).toEqual(["/allowed"]);
      expect(night.events("other").filter(({ type }) => type === "network")).toContainEqual(
        expect.objectContaining({ host: "127.0.0.1", port, verdict: "allowed" }),
      );
    } finally {
      server.close();
    }
  },
);

test.skipIf(bubblewrap === undefined)(
  "tests of both sides run in a sandbox, each with the room of its own side",
  async () => {
    night.git(".", "init", "-q", "night");
    night.write("night/package.json", JSON.stringify({ type: "module", scripts: { test: "node --test" } }));
    night.write("night/.gitignore", "seen\n");
    const body = (name: string) =>
      `import { test } from "node:test";\nimport { writeFileSync, readdirSync } from "node:fs";\nimport assert from "node:assert";\nimport { homedir } from "node:os";\ntest("${name}", () => {\n  try { writeFileSync(homedir() + "/${name}", ""); } catch {}\n  try { writeFileSync("${night.root}/${name}", ""); } catch {}\n  assert.deepEqual(readdirSync(homedir() + "/.nightshift/rooms").length, 1);\n});\n`;
    night.write("night/gates/health.sh", "#!/bin/sh\nexit 0\n", 0o755);
    night.write("night/old.test.js", body("old"));
    night.git("night", "add", "-A");
    night.git("night", "commit", "-qm", "first");
    night.write("new.js", body("new"));
    const request = await night.plan({
      max: 1,
      parts: [{ steps: done(`cat > new.test.js <<'END'\n${body("new")}\nEND`) }],
    });
    const state = await night.run(request);
    const { tests, remarks } = receiptOf(state.verdict?.receipt);
    expect({ word: state.verdict?.word, tests, remarks }).toMatchObject({
      word: "complete",
      tests: { runners: ["node:test"], base: { passed: 1 }, head: { passed: 2 } },
    });
    const left = ["home/old", "home/new", "old", "new"].filter((path) => existsSync(join(night.root, path)));
    expect(left).toEqual([]);
  },
);

test.skipIf(bubblewrap === undefined)(
  "without a sandbox for sessions a verdict has none, and its receipt says so",
  async () => {
    night.sandbox = "none";
    const request = await night.plan({ max: 1, health: "exit 0", parts: [{ steps: done("echo a > a") }] });
    const state = await night.run(request);
    expect(receiptOf(state.verdict?.receipt).sandbox).toEqual({ sessions: "none", verdict: "none" });
  },
);
