import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CODEX, codexItem, SecretHome } from "./fixtures/secret-home.ts";
import { forgetMessages } from "./forget.ts";

let lab: SecretHome;
beforeEach(() => {
  lab = new SecretHome();
});
afterEach(() => lab.remove());

test("a conversation a program has open is refused, by name, and nothing is written", async () => {
  const path = CODEX.make(lab);
  const script = "require('fs').openSync(process.argv[1],'a');console.log('open');process.stdin.resume()";
  const child = spawn(process.execPath, ["-e", script, path], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const before = lab.everyByte();
  await expect(lab.forget(CODEX.id, "L5")).rejects.toMatchObject({
    code: "locked",
    message: expect.stringContaining(`pid ${child.pid}`),
  });
  expect(lab.everyByte()).toBe(before);
  child.stdin.end();
  await once(child, "close");
  expect((await lab.forget(CODEX.id, "L5")).tokensFreed).toBeGreaterThan(0);
});

test("a transcript that grew between reading and writing is left alone", async () => {
  const path = CODEX.make(lab);
  const read = await lab.open(CODEX.id);
  appendFileSync(
    path,
    `${JSON.stringify(codexItem(9, { type: "message", role: "user", content: "late" }))}\n`,
  );
  const before = readFileSync(path);
  await expect(forgetMessages(read, { named: ["L5"], ports: lab.ports })).rejects.toMatchObject({
    code: "locked",
  });
  expect(readFileSync(path).equals(before)).toBe(true);
});
