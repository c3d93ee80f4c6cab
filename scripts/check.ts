// The critic's command line. It runs before every action of an agent: what few calls need is loaded by those.
import { readSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type { ErrorCode } from "../core/error-codes.ts";
import { AppError, errorText, systemCode } from "../core/errors.ts";
import { EXIT } from "../core/exit-codes.ts";
import { nightshiftHome } from "../core/paths.ts";
import { listCommands } from "../gates/critic/destructive/may-destroy.ts";
import type { HookAnswer } from "../gates/critic/hook.ts";
import type { HookAgent } from "../gates/critic/hook-agents.ts";
import type { Judgement } from "../gates/critic/judge.ts";
import { type Action, judgeAction } from "../gates/critic/judge-action.ts";
import { describeDisabled, describeJudgement } from "../gates/critic/report.ts";
import type { CriticSettings } from "../gates/critic/critic-settings.ts";
import { BUILT_IN_ONLY, loadCriticSettings } from "../gates/critic/settings.ts";

const HELP = `Judges an action before it is taken: PROCEED (exit 0) or STOP (exit 1).

usage: node check.mjs [options] <text describing the action>
       echo "<text>" | node check.mjs [options]

options:
  --explain              also list what looked like a flag but is not one, and why
  --json                 print {verdict, flags: [{id, pack, severity, message, suggestion, match}]}
  --hook <agent>         speak the protocol of the agent's hook on stdin and stdout; STOP is exit 2
                         (claude, codex, gemini, opencode, pi)
  --help                 this text

examples:
  node check.mjs "write the failing test, then fix the parser"
  node check.mjs 'git push --force origin main'
  node check.mjs --explain "merge now, tests come in a follow-up"
  git log -1 --format=%B | node check.mjs --json
`;

const OPTIONS = {
  explain: { type: "boolean" },
  json: { type: "boolean" },
  hook: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const usage = (message: string): AppError => new AppError("usage", `${message}; see: node check.mjs --help`);

type Arguments = {
  values: { explain?: boolean; json?: boolean; hook?: string; help?: boolean };
  positionals: string[];
};

const readArguments = async (argv: string[]): Promise<Arguments> => {
  if (!argv.some((word) => word.startsWith("-"))) return { values: {}, positionals: argv };
  const { parseArgs } = await import("node:util");
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw usage(errorText(error).split(". ")[0] ?? "unknown option");
  }
};

/**
 * Reads to the end. Asking `process.stdin` for anything would make a pipe non-blocking, and a writer that is
 * not ready yet would look like one with nothing to say.
 */
const readStdin = async (): Promise<string> => {
  // Loaded here: it brings all of the network along, and most calls come with their text.
  const { isatty } = await import("node:tty");
  if (isatty(0)) return "";
  const chunks: Buffer[] = [];
  const chunk = Buffer.allocUnsafe(64 * 1024);
  try {
    for (let size = readSync(0, chunk); size > 0; size = readSync(0, chunk))
      chunks.push(Buffer.from(chunk.subarray(0, size)));
  } catch (error) {
    // A pipe that somebody else made non-blocking: the stream knows how to wait for the rest.
    if (systemCode(error) === "EAGAIN")
      for await (const rest of process.stdin) chunks.push(Buffer.from(rest));
    else if (systemCode(error) !== "EOF") return ""; // closed: there is no text
  }
  return Buffer.concat(chunks).toString("utf8");
};

/** Judges a text, and keeps the decision where the project wants it kept. */
const decide = async (
  asked: Pick<Action, "text" | "isCommand" | "commands"> & { dir?: string | undefined },
  settings: CriticSettings,
  source: string,
): Promise<Judgement> => {
  const now = Date.now();
  const { text, dir = process.cwd() } = asked;
  const action = { ...asked, dir: resolve(dir), home: process.env["HOME"] ?? "/root", now };
  const judgement = await judgeAction(action, settings);
  if (settings.log === undefined) return judgement;
  const { logDecision } = await import("../gates/critic/decision-log.ts");
  try {
    logDecision(settings.log, { text, judgement, source, now });
  } catch (error) {
    write(2, `nightshift critic: the decision was not logged: ${errorText(error)}\n`);
  }
  return judgement;
};

const load = (): Promise<CriticSettings> =>
  loadCriticSettings({ cwd: process.cwd(), env: process.env, userFolder: nightshiftHome(process.env) });

/** Straight to the file: building the stream object of a pipe takes longer than judging a sentence. */
const write = (file: 1 | 2, text: string): void => {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(file, bytes, done);
  } catch (error) {
    if (systemCode(error) === "EPIPE") return; // nobody reads any more; the exit code still says it
    // A pipe that somebody made non-blocking, and that is full: the stream knows how to wait.
    (file === 1 ? process.stdout : process.stderr).write(bytes.subarray(done));
  }
};

const print = ({ exitCode, stdout, stderr }: Omit<HookAnswer, "exitCode"> & { exitCode: number }): number => {
  if (stdout) write(1, `${stdout}\n`);
  if (stderr) write(2, `${stderr}\n`);
  return exitCode;
};

/** A config that is code and was not trusted is left out, and that is said; every other fault ends it. */
const loadTrusted = async (): Promise<CriticSettings> => {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof AppError) || error.details["untrusted"] === undefined) throw error;
    write(2, `nightshift critic: only the built-in rules were applied, because ${error.message}\n`);
    return BUILT_IN_ONLY;
  }
};

/** The built-in rules judge even when the config is faulty; that it is faulty is told, never swallowed. */
const loadForHook = async (): Promise<{ settings: CriticSettings; fault: string | undefined }> => {
  try {
    return { settings: await load(), fault: undefined };
  } catch (error) {
    return {
      settings: BUILT_IN_ONLY,
      fault: `nightshift critic: only the built-in rules were applied, because ${errorText(error)}`,
    };
  }
};

const runHook = async (agent: HookAgent): Promise<number> => {
  const { answerHook, readHookInput } = await import("../gates/critic/hook.ts");
  const input = readHookInput(await readStdin());
  if (input === undefined)
    return print({
      exitCode: EXIT.hookBlock,
      stdout: "",
      stderr: `nightshift critic: blocked, because stdin was not a PreToolUse input of ${agent} (tool_name, tool_input); check the hook's command, or remove it with: nightshift init --hooks --remove`,
    });
  const { settings, fault } = await loadForHook();
  const judgement = await decide(input, settings, `hook:${agent}`);
  const answer = answerHook(judgement, agent);
  if (fault === undefined) return print(answer);
  const stdout = { ...(answer.stdout ? (JSON.parse(answer.stdout) as object) : {}), systemMessage: fault };
  return print({
    exitCode: answer.exitCode,
    stdout: JSON.stringify(stdout),
    stderr: [answer.stderr, fault].filter(Boolean).join("\n"),
  });
};

const runText = async (
  text: string,
  { json, explain: isExplained }: { json: boolean; explain: boolean },
): Promise<number> => {
  const settings = await loadTrusted();
  const judgement = await decide({ text, commands: listCommands(text) }, settings, "check");
  const explanation = isExplained
    ? (await import("../gates/critic/explain.ts")).explain(text, settings.patterns)
    : undefined;
  const stdout = json
    ? JSON.stringify({ ...judgement, ...explanation })
    : describeJudgement(judgement, explanation).join("\n");
  return print({
    exitCode: judgement.verdict === "STOP" ? EXIT.no : EXIT.yes,
    stdout,
    stderr: describeDisabled(judgement) ?? "",
  });
};

const run = async (argv: string[]): Promise<number> => {
  const { values, positionals } = await readArguments(argv);
  if (values.help) return print({ exitCode: EXIT.yes, stdout: HELP.trimEnd(), stderr: "" });
  if (values.hook !== undefined) {
    const { HOOK_AGENTS } = await import("../gates/critic/hook-agents.ts");
    const agent = HOOK_AGENTS.find((name) => name === values.hook);
    if (agent === undefined)
      throw usage(`--hook is ${JSON.stringify(values.hook)}; it must be one of ${HOOK_AGENTS.join(", ")}`);
    return runHook(agent);
  }
  const text = positionals.length > 0 ? positionals.join(" ") : await readStdin();
  if (text.trim() === "") throw usage("there is no text to judge");
  if (text.includes("\0"))
    throw new AppError(
      "bad-data",
      "stdin holds binary data, so nothing was judged; describe the action in words",
    );
  return runText(text, { json: values.json === true, explain: values.explain === true });
};

const codeOf = (error: unknown): ErrorCode | undefined =>
  error instanceof AppError ? error.code : undefined;

const fail = async (error: unknown, argv: readonly string[]): Promise<number> => {
  const isHook = argv.some((word) => word.startsWith("--hook"));
  const code = codeOf(error);
  write(2, `nightshift critic: ${code ? "" : "internal error: "}${errorText(error)}\n`);
  if (argv.includes("--json") && !isHook)
    write(1, `${JSON.stringify({ error: errorText(error), code: code ?? "internal" })}\n`);
  // In a hook every code but 2 lets the action through: a critic that cannot judge says so and holds it.
  if (isHook) return EXIT.hookBlock;
  const { ERROR_CODES } = await import("../core/error-codes.ts");
  return ERROR_CODES[code ?? "internal"].exit;
};

/** Judges what the arguments or stdin say, prints the answer and sets the exit code. */
export const main = async (): Promise<void> => {
  const argv = process.argv.slice(2);
  process.exitCode = await run(argv).catch((error: unknown) => fail(error, argv));
};
