import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownIdentity } from "../core/process-identity.ts";
import { createReporter } from "../scripts/command/reporter.ts";
import { displayWidth } from "../scripts/command/table.ts";
import { runProgram } from "../scripts/command/run-program.ts";
import { PROGRAMS } from "../scripts/programs/index.ts";
import type { SessionRecord } from "../worker/state/worker-state.ts";
import { putWorker } from "./put-worker.ts";
import { useScratch } from "./scratch.ts";

const WIDTHS = [120, 80, 50];
const files = useScratch();

const before = (minutes: number): string => new Date(Date.now() - minutes * 60_000 - 1000).toISOString();
const healthy = { verdict: "healthy" as const, exitCode: 0, at: before(5) };

/** Sessions of so many minutes each, the last of which ended (or began, when it still runs) `agoMinutes` ago. */
const sessions = (count: number, last: Partial<SessionRecord>): SessionRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    startedAt: before(60 * (count - index) + 5),
    endedAt: before(60 * (count - index - 1) + 5),
    endReason: "context",
    isCounted: true,
    commits: [],
    hasChanged: true,
    mark: `mark-${index}`,
    ...(index === count - 1 ? last : {}),
  }));

const note = (name: string, text: string): string => {
  const file = join(files.root, name, "handoffs", "003.md");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `# Handoff\n\n## Note\n\n${text}\n`);
  return file;
};

const night = (): void => {
  putWorker(files.root, {
    name: "docs",
    status: "complete",
    dir: "/home/ada/docs",
    max: 6,
    context: { tokens: 90_000, windowTokens: 200_000, percent: 45, source: "live" },
    lastGate: healthy,
    startedAt: before(185),
    endedAt: before(5),
    updatedAt: before(5),
    costUsd: 2.1,
    stopReason: "DONE, and the gates are healthy",
    sessions: sessions(3, {
      endReason: "done",
      commits: ["abc1234 Link every page from the index"],
      handoffFile: note("docs", "Every page is linked.\nDONE: links"),
      criticStops: 1,
    }),
  });
  putWorker(files.root, {
    name: "api",
    status: "running",
    supervisor: ownIdentity(),
    dir: "/home/ada/shop/api",
    agent: "codex",
    agentTitle: "Codex CLI",
    session: 2,
    context: { tokens: 163_200, windowTokens: 272_000, percent: 60, source: "live" },
    lastGate: { verdict: "blocked", exitCode: 1, at: before(5) },
    startedAt: before(65),
    updatedAt: before(2),
    costUsd: 0.84,
    sessions: sessions(2, { endedAt: undefined as never }),
  });
  putWorker(files.root, {
    name: "shop-tests",
    status: "failed",
    dir: "/home/ada/shop/web",
    startedAt: before(125),
    endedAt: before(65),
    updatedAt: before(65),
    stopReason: "the agent ended with exit code 1: the credit balance is too low",
    sessions: sessions(1, { endReason: "error" }),
    session: 1,
    costUsd: 0.02,
  });
  putWorker(files.root, {
    name: "importer",
    status: "running", // of a supervisor that is gone
    dir: "/home/ada/importer",
    startedAt: before(245),
    updatedAt: before(35),
    sessions: sessions(4, {
      commits: ["def5678 Read quoted fields"],
      rescueRef: "refs/nightshift/rescue/importer/4",
    }),
    session: 4,
    costUsd: 3.4,
  });
};

/** What a terminal of that width shows: the command's answer and its notes, as they come. */
const capture = async (command: string, columns: number): Promise<string> => {
  const [name, ...argv] = command.split(" ");
  const program = PROGRAMS.find((one) => one.name === name);
  if (!program) throw new Error(`no program ${name}`);
  let shown = "";
  const screen = { write: (text: string) => (shown += text) };
  const env = { WORKERS_HOME: files.root, HOME: files.root, COLUMNS: String(columns) };
  await runProgram(program, argv, {
    env,
    cwd: files.root,
    stdin: process.stdin,
    signal: new AbortController().signal,
    insistSignal: new AbortController().signal,
    createReporter: (isJson) => createReporter({ isJson, env, stdout: screen, stderr: screen }),
  });
  const lines = shown.trimEnd().split("\n");
  expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
  return shown.trimEnd();
};

const COMMANDS = [
  ["worker list", "Who is at work, and why somebody is not."],
  ["worker report docs api importer shop-tests", "The morning after: who needs you comes first."],
  ["nightshift --help", "Every command, in groups."],
] as const;

test("docs/terminal.md shows what the commands print at 120, 80 and 50 columns", async () => {
  night();
  const parts = [
    "# What do I see in a terminal?",
    "Every command fits the terminal it runs in. These are the list, the report and the help at 120, 80 and 50 columns. `COLUMNS` sets the width where the output is no terminal; `--json` gives the same as data.",
  ];
  for (const [command, about] of COMMANDS) {
    parts.push(`## \`${command}\``, about);
    for (const columns of WIDTHS)
      parts.push(`${columns} columns:`, `\`\`\`text\n${await capture(command, columns)}\n\`\`\``);
  }
  await expect(`${parts.join("\n\n")}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, "../docs/terminal.md"),
  );
});
