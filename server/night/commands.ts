import { iso } from "../../core/clock.ts";
import { randomBytes } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import { isActive, isSilent } from "./card.ts";
import type { NightPorts } from "./ports.ts";
import type { Action, CommandPoll, CommandView, FetchedCommand, NewCommand } from "./schemas.ts";
import type { StoredCommand } from "./store.ts";

/** Nobody is surprised in the morning by what was asked in the evening before. */
const OPEN_MS = 60 * 60_000;

/** What only a worker that does not run can be asked: whoever looks after it does it. */
const FOR_ENDED: ReadonlySet<Action> = new Set(["resume", "accept", "refuse"]);
const FOR_RUNNING: ReadonlySet<Action> = new Set(["stop", "stop-now", "adjust", "note"]);

const needs = (action: Action, { task, max, model, budgetUsd, text }: NewCommand): string | undefined => {
  if (action === "note" && text === undefined) return "a note needs its text";
  if (action === "refuse" && text === undefined) return "refusing needs the reason in text";
  if (action === "adjust" && [task, max, model, budgetUsd].every((one) => one === undefined))
    return "say what to adjust: task, max, model or budgetUsd";
  return undefined;
};

export const viewCommand = (command: StoredCommand, now: number): CommandView => {
  const { id, run, action, args, askedBy, state, detail, createdAt, expiresAt, receivedAt, endedAt } =
    command;
  const isLate = (state === "sent" || state === "received") && expiresAt <= now;
  return {
    id,
    run,
    action,
    args,
    askedBy,
    state: isLate ? "expired" : state,
    ...(detail === undefined ? {} : { detail }),
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    ...(receivedAt === undefined ? {} : { receivedAt: iso(receivedAt) }),
    ...(endedAt === undefined ? {} : { endedAt: iso(endedAt) }),
  };
};

/**
 * Keeps what a person asks until the worker's host fetches it.
 * @throws AppError `not-found`, `bad-data`, or `conflict` where the run is not one that can do it
 */
export const askWorker = async (
  { store, bus, now }: NightPorts,
  { run: id, askedBy, wanted }: { run: string; askedBy: string; wanted: NewCommand },
): Promise<CommandView> => {
  const run = await store.find(id);
  if (!run) throw new AppError("not-found", `There is no run ${id}`);
  const { action, ...args } = wanted;
  const missing = needs(action, wanted);
  if (missing !== undefined)
    throw new AppError("bad-data", missing, { faults: [{ path: "/body", message: missing }] });
  const { status } = run.card.report;
  if (FOR_ENDED.has(action) && isActive(status) && !isSilent(status, run.reportedAt, now()))
    throw new AppError(
      "conflict",
      `${run.card.worker} is ${status}; only one that has ended can be asked to ${action}`,
    );
  if (FOR_RUNNING.has(action) && !isActive(status))
    throw new AppError("conflict", `${run.card.worker} is ${status}: there is nothing to ${action}`);
  const at = now();
  const command: StoredCommand = {
    id: randomBytes(12).toString("base64url"),
    run: id,
    host: run.card.host,
    worker: run.card.worker,
    action,
    args,
    askedBy,
    state: "sent",
    detail: undefined,
    createdAt: at,
    expiresAt: at + OPEN_MS,
    receivedAt: undefined,
    endedAt: undefined,
  };
  await store.addCommand(command);
  bus.wakeHost(command.host);
  bus.tell({ run: id, kinds: ["command"] });
  return viewCommand(command, at);
};

const toFetched = ({ id, worker, action, args }: StoredCommand): FetchedCommand => ({
  id,
  worker,
  action,
  args,
});

/**
 * Takes what became of commands, and answers with those that wait, at once or as soon as there are some. One that
 * was fetched is given out again until somebody has said that it was received: an answer may be lost.
 */
export const pollCommands = async (
  { store, bus, now }: NightPorts,
  { host, poll, gone }: { host: string; poll: CommandPoll; gone: AbortSignal },
): Promise<FetchedCommand[]> => {
  for (const run of await store.acknowledge(host, poll.acks, now())) bus.tell({ run, kinds: ["command"] });
  const workers = new Set([...(poll.workers ?? []), ...(poll.worker === undefined ? [] : [poll.worker])]);
  const isForRunning = poll.worker !== undefined;
  const find = async () =>
    (await store.openCommands(host, now()))
      .filter(({ state, worker, action }) => {
        const isForEnded = FOR_ENDED.has(action as Action);
        return state === "sent" && workers.has(worker) && isForEnded !== isForRunning;
      })
      .map(toFetched);
  const until = now() + (poll.waitSeconds ?? 0) * 1000;
  for (;;) {
    const found = await find();
    const left = until - now();
    if (found.length > 0 || left <= 0 || gone.aborted || bus.isOver()) return found;
    await bus.waitFor(host, left, gone);
  }
};
