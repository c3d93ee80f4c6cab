import { createInterface } from "node:readline";
import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { encodeLine, type ProgramLine, type SupervisorLine } from "../command/protocol.ts";
import { playStep } from "./play-step.ts";
import { readFileSync } from "node:fs";
import { planSteps } from "./plan-steps.ts";
import type { Script } from "./script.ts";

// The scripted agent: a real process that plays a JSON script over the JSON-lines protocol of the `command`
// driver. No model is behind it. Usage: node program.js <script.json> <state file>

/** Where each conversation of a script stands, so that the next session gets the next part. */
type PlayState = {
  sessions: number;
  conversations: Record<string, { session: number; part: number; next: number }>;
};

const KEPT_CONVERSATIONS = 50;

const loadPlayState = (file: string): PlayState => {
  const text = readFileIfThere(file);
  return text === undefined ? { sessions: 0, conversations: {} } : (JSON.parse(text) as PlayState);
};

const savePlayState = (file: string, state: PlayState): void => {
  const kept = Object.entries(state.conversations).slice(-KEPT_CONVERSATIONS);
  writeFileDurably(file, JSON.stringify({ ...state, conversations: Object.fromEntries(kept) }));
};

/** Where a session begins: a new conversation with the next part, or an old one where it was left. */
const beginConversation = (state: PlayState, parts: number, resume: string | undefined) => {
  const known = resume === undefined ? undefined : state.conversations[resume];
  if (resume !== undefined && known) return { id: resume, ...known };
  const session = state.sessions + 1;
  const place = { session, part: Math.min(session, parts) - 1, next: 0 };
  return { id: `scripted-${session}`, ...place };
};

type PromptLine = Extract<SupervisorLine, { type: "prompt" }>;

const [scriptFile = "", stateFile = ""] = process.argv.slice(2);
// The driver has checked it; to do that again would take longer than most scripts.
const script = JSON.parse(readFileSync(scriptFile, "utf8")) as Script;

let isStopAsked = false;
let isStdinOver = false;
let turn: Promise<void> | undefined;
let note: string | null | undefined;
const confirmations = new Map<string, () => void>();

// A supervisor that died must not take its agent along: real agents work on without a reader, too.
process.stdout.on("error", () => undefined);

const say = async (line: ProgramLine): Promise<void> => {
  const confirm = line.type === "usage" ? line.confirm : undefined;
  const answered =
    confirm === undefined || isStdinOver
      ? undefined
      : new Promise<void>((resolve) => {
          confirmations.set(confirm, resolve);
        });
  process.stdout.write(encodeLine(line));
  await answered;
};

const playTurn = async ({ dir, conversationId }: PromptLine): Promise<void> => {
  const state = loadPlayState(stateFile);
  const place = beginConversation(state, script.parts.length, conversationId);
  const part = script.parts[place.part];
  const steps = planSteps(part?.steps ?? [], place.session);
  note = part?.note === undefined ? `HANDOFF: scripted session ${place.session} was stopped` : part.note;
  state.sessions = Math.max(state.sessions, place.session);
  const remember = (next: number) => {
    const { session, part } = place;
    state.conversations[place.id] = { session, part, next };
    savePlayState(stateFile, state);
  };
  remember(place.next);
  await say({ type: "started", conversationId: place.id, model: "scripted" });
  const ports = {
    dir,
    say,
    writeRaw: (text: string) => void process.stdout.write(text),
    writeStderr: (text: string) => void process.stderr.write(text),
    now: Date.now,
  };
  for (const [index, step] of steps.entries()) {
    if (index < place.next) continue;
    if (isStopAsked) {
      await say({ type: "turn-end", reason: "interrupted" });
      return;
    }
    const outcome = await playStep(ports, step, `${place.id}.${index}`);
    remember(index + 1);
    if (outcome === "next") continue;
    if ("exitCode" in outcome) {
      process.exitCode = outcome.exitCode;
      input.close();
      process.stdin.destroy();
      return;
    }
    await say({ type: "turn-end", ...outcome });
    return;
  }
  await say({ type: "turn-end", reason: "completed" });
};

const answerNote = async (): Promise<void> => {
  await turn;
  if (typeof note === "string") await say({ type: "note", text: note });
};

const input = createInterface({ input: process.stdin });
input.on("line", (text) => {
  const line = JSON.parse(text) as SupervisorLine;
  if (line.type === "prompt") turn = playTurn(line);
  else if (line.type === "stop") isStopAsked = true;
  else if (line.type === "note") void answerNote();
  else {
    confirmations.get(line.confirm)?.();
    confirmations.delete(line.confirm);
  }
});
input.on("close", () => {
  isStdinOver = true;
  for (const confirmed of confirmations.values()) confirmed();
});
