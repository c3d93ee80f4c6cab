import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WorkerLab, say } from "../worker/worker-lab.ts";
import { readFileIfThere } from "../../core/read-file.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

const work = (command: string) => ({
  parts: [
    {
      steps: [
        { do: "run" as const, command: `${command} && git add -A && git commit -qm work` },
        say("DONE: it"),
      ],
    },
  ],
});

const receiptOf = (): string => lab.state("docs")?.verdict?.receipt ?? "";

test("a receipt is shown, proved, demanded of a commit, run again, and found out when a byte is changed", async () => {
  lab.gateOn("ok.txt");
  lab.play(work("touch ok.txt"));
  await lab.start("docs");
  expect(await lab.ended("docs")).toMatchObject({ status: "complete", verdict: { word: "complete" } });
  const shown = await lab.worker("receipt", "docs");
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.out).toMatch(
    /proved: signed by [^]*verdict: complete[^]*gate gates\/health\.sh: healthy \(exit 0\)[^]*1 session, cost unknown,/,
  );
  const { out: key } = await lab.worker("receipt", "docs", "--public-key");
  writeFileSync(join(lab.folder, "key.pub"), key);
  const demand = [
    "verify",
    "--commit",
    "HEAD",
    "--require",
    "complete",
    "--key",
    join(lab.folder, "key.pub"),
  ];
  expect(await lab.run("nightshift", demand)).toMatchObject({ code: 0 });
  expect(await lab.run("nightshift", ["verify", receiptOf(), "--repo", ".", "--run"])).toMatchObject({
    code: 0,
  });
  const envelope = JSON.parse(readFileSync(receiptOf(), "utf8")) as { payload: string };
  const payload = Buffer.from(envelope.payload, "base64").toString().replace('"exitCode":0', '"exitCode":1');
  const forged = join(lab.folder, "forged.json");
  writeFileSync(forged, JSON.stringify({ ...envelope, payload: Buffer.from(payload).toString("base64") }));
  const found = await lab.run("nightshift", ["verify", forged]);
  expect([found.code, found.out]).toEqual([
    1,
    expect.stringContaining("predicate.gates.0.exitCode: was changed"),
  ]);
});

test(
  "a person's word makes complete what no rule could decide; a session cannot give it",
  { tags: ["long"] },
  async () => {
    lab.put("vitest.config.ts", "export default {};\n");
    lab.gateOn("README");
    lab.play(work("echo '// more' >> vitest.config.ts"));
    await lab.worker("start", "docs", "--agent", "scripted", "--task", "change vitest.config.ts");
    expect(await lab.ended("docs")).toMatchObject({ status: "unverified" });
    const report = await lab.worker("report", "docs");
    expect(report.out).toMatch(
      /verdict unverified[^]*undecided: vitest\.config\.ts:2 was changed[^]*worker accept docs/,
    );
    const inSession = await lab.run("worker", ["accept", "docs"], { env: { NIGHTSHIFT_WORKER: "docs" } });
    expect(inSession).toMatchObject({
      code: 77,
      err: expect.stringContaining("a session does not judge its own work"),
    });
    expect(await lab.worker("accept", "docs", "--reason", "it was meant")).toMatchObject({ code: 0 });
    expect(lab.state("docs")).toMatchObject({
      status: "complete",
      verdict: { accepted: { reason: "it was meant" } },
    });
    expect((await lab.worker("list")).out).toContain("complete (accepted, scripted)");
    expect(lab.git(lab.repository, "log", "--notes=nightshift", "-1")).toContain("complete (accepted) by");
    expect(
      await lab.run("nightshift", ["verify", "--commit", "HEAD", "--require", "complete"]),
    ).toMatchObject({
      code: 0,
    });
    const again = await lab.worker("verify", "docs");
    expect([again.code, lab.state("docs")?.status]).toEqual([1, "unverified"]);
    expect(readdirSync(join(lab.workers, "docs/receipts")).toSorted()).toEqual([
      "001.json",
      "002.json",
      "003.json",
    ]);
  },
);

test("a commit that came after the verdict is not accepted by it", async () => {
  lab.put("vitest.config.ts", "export default {};\n");
  lab.gateOn("README");
  lab.play(work("echo '// more' >> vitest.config.ts"));
  await lab.worker("start", "docs", "--agent", "scripted", "--task", "change vitest.config.ts");
  await lab.ended("docs");
  lab.put("later", "later\n");
  lab.commit(lab.repository, "Later");
  expect(await lab.worker("accept", "docs")).toMatchObject({
    code: 75,
    err: expect.stringContaining("worker verify docs"),
  });
  expect(readFileIfThere(receiptOf())).toBeDefined();
});
