import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitFor } from "../../test/wait-for.ts";
import { type ControlRequest, sendControl, takeControl, watchControl } from "./control.ts";

let folder = "";
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "nightshift-control-")), "control");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

test("a folder that cannot be read ends nobody: it is said once, and requests are taken as soon as it can be", async () => {
  const requests: ControlRequest[] = [];
  const failures: unknown[] = [];
  const control = watchControl(
    folder,
    (request) => requests.push(request),
    (error) => failures.push(error),
  );
  renameSync(folder, `${folder}-away`);
  writeFileSync(folder, "in the way"); // readdir: ENOTDIR, whoever looks
  await waitFor("the failure", () => failures.length > 0);
  rmSync(folder);
  renameSync(`${folder}-away`, folder);
  sendControl(folder, { type: "stop", isNow: true });
  await waitFor("the request", () => requests.length > 0);
  control.close();
  expect(requests).toEqual([{ type: "stop", isNow: true }]);
  expect(failures).toHaveLength(1);
});

test("a request that cannot be read now is not thrown away, what is none is", () => {
  sendControl(folder, { type: "stop", isNow: false });
  writeFileSync(join(folder, "000-noise.json"), "no request");
  mkdirSync(join(folder, "zzz.json")); // reading it fails
  expect(takeControl(folder)).toEqual([{ type: "stop", isNow: false }]);
  expect(() => takeControl(folder)).toThrow(/EISDIR/);
  rmSync(join(folder, "zzz.json"), { recursive: true });
  expect(takeControl(folder)).toEqual([]);
});
