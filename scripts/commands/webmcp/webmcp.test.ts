import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { libraryDocument } from "../../../webmcp/fixtures/library-document.ts";
import { createReporter } from "../../command/reporter.ts";
import { runProgram } from "../../command/run-program.ts";
import { nightshift } from "../../programs/nightshift.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-webmcp-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = async (...words: string[]): Promise<{ code: number; out: string; err: string }> => {
  const said = { out: "", err: "" };
  const code = await runProgram(nightshift, ["webmcp", ...words], {
    env: {},
    cwd: folder,
    stdin: process.stdin,
    signal: new AbortController().signal,
    insistSignal: new AbortController().signal,
    createReporter: (isJson) =>
      createReporter({
        isJson,
        env: {},
        stdout: { write: (text) => (said.out += text) },
        stderr: { write: (text) => (said.err += text) },
      }),
  });
  return { code, ...said };
};

const write = (name: string, document: object): void =>
  writeFileSync(join(folder, name), name.endsWith("yaml") ? stringify(document) : JSON.stringify(document));

test("explain tells every operation of a YAML document and exits 0 when nothing fails", async () => {
  write("api.yaml", libraryDocument());
  const { code, out } = await run("explain", "api.yaml");
  expect(code).toBe(0);
  expect(out).toContain("5 operations");
  expect(out).toContain("tool         GET /books (listBooks)");
  expect(out).toContain("unsupported  PUT /books/{id} (replaceBook)\n  PUT operations are not supported.");
});

test("explain exits 1 when an enabled operation fails, and --json says where", async () => {
  const document = libraryDocument();
  Object.assign(document.paths["/books/{id}"]?.["put"] as object, { "x-webmcp-enabled": true });
  write("api.json", document);
  const { code, out } = await run("explain", "api.json", "--state", "refused", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    totals: { tool: 4, refused: 1 },
    operations: [
      { operation: "PUT /books/{id}", problems: [{ pointer: "/paths/~1books~1{id}/put", rule: "method" }] },
    ],
  });
});

test("lock and check agree until a tool changes", async () => {
  write("api.json", libraryDocument());
  expect(await run("check", "api.json")).toMatchObject({
    code: 66,
    err: expect.stringContaining("nightshift webmcp lock api.json") as string,
  });
  expect((await run("lock", "api.json")).code).toBe(0);
  expect((await run("check", "api.json")).code).toBe(0);
  const document = libraryDocument();
  Object.assign(document.paths["/books"]?.["get"] as object, { description: "Other words." });
  write("api.json", document);
  expect(await run("check", "api.json")).toMatchObject({
    code: 1,
    out: expect.stringContaining("changed  listBooks") as string,
  });
  writeFileSync(join(folder, "webmcp.lock.json"), "{}");
  expect((await run("check", "api.json")).code).toBe(65);
});

test("build writes the two files of a static site, and refuses changes and wrong origins", async () => {
  const document = libraryDocument();
  write("all.json", document);
  delete document.paths["/books"]?.["post"];
  delete document.paths["/books/{id}"]?.["delete"];
  write("reads.json", document);
  mkdirSync(join(folder, "public"));
  const built = await run(
    "build",
    "reads.json",
    "--origin",
    "https://api.library.test",
    "--out",
    "public",
    "--json",
  );
  expect(JSON.parse(built.out)).toMatchObject({ tools: ["listBooks", "getBook"] });
  expect(readFileSync(join(folder, "public/webmcp-bootstrap.js"), "utf8")).toContain("api.library.test");
  expect(readFileSync(join(folder, "public/webmcp-manifest.json"), "utf8")).toContain("getBook");
  const refused = await run("build", "all.json", "--origin", "https://api.library.test", "--json");
  expect(refused.code).toBe(65);
  expect(JSON.parse(refused.out)).toMatchObject({ errors: [{ path: "/paths/~1books/post" }, {}] });
  expect((await run("build", "reads.json", "--origin", "http://api.library.test")).code).toBe(64);
  expect(await run("build", "reads.json")).toMatchObject({
    code: 64,
    err: expect.stringContaining("--origin https://api.example.com") as string,
  });
});

test("a file that is missing, unreadable or no OpenAPI document is named", async () => {
  expect(await run("explain", "none.json")).toMatchObject({ code: 66 });
  writeFileSync(join(folder, "bad.json"), "{ nope");
  expect(await run("explain", "bad.json")).toMatchObject({
    code: 65,
    err: expect.stringContaining("bad.json") as string,
  });
  write("other.yaml", { a: 1 });
  expect(await run("explain", "other.yaml")).toMatchObject({ code: 65 });
});
