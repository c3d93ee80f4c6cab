// @module-tag long

import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { hashInputs } from "../../gates/gate-cache.ts";
import { selectGates } from "../../gates/select-gates.ts";
import { RUNTIMES } from "../../server/fixtures/test-server.ts";
import { bunBinary } from "../bun.ts";
import { useScratch } from "../scratch.ts";

const nightshift = resolve(import.meta.dirname, "../../dist/scripts/nightshift.js");
const scratch = useScratch();

test.each(RUNTIMES)(
  "an answer of a gate that a repository brings along, made for exactly its content, is not taken on %s",
  async (runtime) => {
    const clone = join(scratch.root, "clone");
    scratch.put("clone/bad.ts", "export const bad: any = 1;\n");
    const [gate] = selectGates({}, { root: clone, only: ["any"] });
    if (gate === undefined) throw new Error("there is no gate any");
    const hash = hashInputs(gate, ["bad.ts"], clone);
    expect(hash).toBeDefined();
    const forged = JSON.stringify({ hash, answer: { result: "pass", findings: [] } });
    scratch.put("clone/.nightshift/gates/any.json", forged);
    scratch.put("clone/.nightshift/cache/gates/any.json", forged);
    scratch.git("init", "-q", clone);
    const program = runtime === "bun" ? bunBinary() : process.execPath;
    const judge = async (): Promise<unknown> => {
      const env = {
        PATH: process.env["PATH"],
        HOME: join(scratch.root, "home"),
        GIT_CONFIG_GLOBAL: "/dev/null",
      };
      const failure: unknown = await promisify(execFile)(program, [nightshift, "gate", "any", "--json"], {
        cwd: clone,
        env,
      }).catch((error: unknown) => error);
      return JSON.parse((failure as { stdout: string }).stdout) as unknown;
    };
    const found = (cached: boolean) => ({
      verdict: "fail",
      gates: [{ id: "any", result: "fail", cached, findings: [{ file: "bad.ts", line: 1 }] }],
    });
    expect(await judge()).toMatchObject(found(false));
    expect(await judge()).toMatchObject(found(true));
    expect(scratch.read("clone/.nightshift/gates/any.json")).toBe(forged);
  },
);
