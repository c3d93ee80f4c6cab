// @module-tag long
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { say, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

const VALUE = 'hush "now"/7d2f+plain';
const FORMS = [
  VALUE,
  JSON.stringify(VALUE).slice(1, -1),
  encodeURIComponent(VALUE),
  Buffer.from(VALUE).toString("base64"),
];

/** Files below a folder that say a text in one of its forms. */
const filesWithSecret = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => FORMS.some((form) => readFileSync(file, "utf8").includes(form)));

// All that an agent says, runs, fails with and leaves goes into files of ours; the next session may read some of them.
test("a named secret reaches the session, and none of what is kept", async () => {
  lab.env["WORD_FOR_TEST"] = VALUE;
  lab.put(
    "gates/health.sh",
    '#!/bin/sh\ntest -f reached || { echo "error: $WORD_FOR_TEST at door"; exit 1; }\n',
    0o755,
  );
  lab.play(
    {
      parts: [
        {
          steps: [
            say(`I found ${VALUE} and its code ${Buffer.from(VALUE).toString("base64")}`),
            { do: "stderr", text: `warning: ${VALUE}\n` },
            { do: "run", command: `echo '${VALUE}' > /dev/null` },
            say(`DONE: with ${VALUE}`),
          ],
        },
        { steps: [{ do: "fail", message: `refused ${VALUE}` }] },
        {
          steps: [{ do: "usage", contextTokens: 190_000, windowTokens: 200_000 }, say("too full")],
          note: `HANDOFF: ${VALUE}`,
        },
        {
          steps: [
            {
              do: "run",
              command:
                'test -n "$WORD_FOR_TEST" && touch reached && git add -A && git commit -qm "Say $WORD_FOR_TEST"',
            },
            say(`DONE: ${VALUE} is no more`),
          ],
        },
      ],
    },
    {
      sandbox: { secrets: ["WORD_FOR_*"] },
      workers: { docs: { task: `Use ${VALUE}`, limits: { stalledSessions: 9 } } },
    },
  );
  expect((await lab.run("nightshift", ["trust", "--yes"])).code).toBe(0);
  expect(await lab.worker("start", "docs", "--agent", "scripted")).toMatchObject({ code: 0 });
  const state = await lab.ended("docs");
  expect(state).toMatchObject({ status: "complete", session: 4 });
  expect(JSON.stringify(state)).toContain("[REDACTED:WORD_FOR_TEST]");
  expect(filesWithSecret(lab.home)).toEqual([]);

  const { out } = await lab.run("worker", ["report", "docs", "--json"]);
  expect(out).toContain('"docs"');
  for (const form of FORMS) expect(out).not.toContain(form);
  const notes = lab.git(lab.repository, "log", "--all", "--format=%N", "--notes=refs/notes/*");
  expect(notes).toContain("Nightshift");
  for (const form of FORMS) expect(notes).not.toContain(form);
});
