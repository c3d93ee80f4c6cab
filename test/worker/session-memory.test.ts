// @module-tag long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBubblewrap } from "../../sandbox/find-bubblewrap.ts";
import { type MemoryServer, startMemoryServer } from "../../server/memory/fixtures/start-memory-server.ts";
import { say, WorkerLab } from "./worker-lab.ts";

// The memory server is a way out that every session has: what it may do there, and until when.

let lab: WorkerLab;
let server: MemoryServer;
beforeEach(async () => {
  lab = new WorkerLab();
  server = await startMemoryServer();
  lab.env["MEMORY_API_KEY_FILE"] = server.keyFile;
});
afterEach(async () => {
  await lab.dispose();
  await server.stop();
});

/** Each line of the output: what was tried, and the status it got. */
const TRY = `
own=$(cat "$MEMORY_API_KEY_FILE"); main=$(cat "$KEY_FILE" 2>/dev/null); best="\${main:-$own}"
try() { name=$1; shift; echo "$name $(curl -s -o /dev/null -w '%{http_code}' -H "authorization: Bearer $best" "$@")"; }
try learn -H 'content-type: application/json' -d '{"trigger":"a trigger","learning":"a learning"}' $URL/learn
try list-keys $URL/keys
try make-key -H 'content-type: application/json' -d '{"writer":"me","access":"admin"}' $URL/keys
try export $URL/export
try tokens $URL/api/tokens
try security-log $URL/api/security-log
echo "$own" > key.txt
`;

const tryAll = async (mode: "auto" | "none") => {
  lab.put("try.sh", TRY);
  lab.play(
    {
      parts: [
        {
          steps: [
            { do: "run", command: `URL=${server.url} KEY_FILE=${server.keyFile} sh try.sh > tried.txt` },
            say("DONE: tried"),
          ],
        },
      ],
    },
    { memory: { url: server.url } },
  );
  await lab.start("docs", "--max", "1", "--sandbox", mode);
  await lab.ended("docs");
  const lines = readFileSync(join(lab.repository, "tried.txt"), "utf8").trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(" ")));
};

test.skipIf("problem" in findBubblewrap(process.env))(
  "a session learns with a key of its own, which manages nothing and ends with it",
  async () => {
    const tried = await tryAll("auto");
    expect(tried["learn"]).toBe("200");
    for (const name of ["list-keys", "make-key", "export", "tokens", "security-log"])
      expect([name, tried[name]]).toEqual([name, expect.stringMatching(/^40[1345]$/)]);
    const key = readFileSync(join(lab.repository, "key.txt"), "utf8").trim();
    expect(key).not.toBe("");
    expect(key).not.toBe(server.key);
    const later = await server.ask("POST", "/learn", { as: key, body: { trigger: "b", learning: "c" } });
    expect(later.status).toBe(401);
  },
);

test("the same attempts manage the server's keys where nothing holds the session", async () => {
  expect(await tryAll("none")).toMatchObject({ learn: "200", "list-keys": "200" });
});
