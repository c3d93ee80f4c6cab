import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Driver } from "../../agents/driver.ts";
import { sweepTemporaries } from "../../core/durable-file.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { type Git, createGit, findWorkTree } from "../../core/git.ts";
import { ownIdentity } from "../../core/process-identity.ts";
import { endMarked } from "../../core/process-tree.ts";
import type { Sandbox } from "../../sandbox/open-sandbox.ts";
import type { Reviewer } from "../session/reviewer.ts";
import { runSession } from "../session/run-session.ts";
import { describeContradiction } from "../session/describe.ts";
import { createHandoffShelf } from "../session/handoff-shelf.ts";
import type { SessionInput, SessionOutcome, SessionPorts } from "../session/session-ports.ts";
import { dropOldRequests, takeControl, watchControl } from "../state/control.ts";
import { type Adjustment, adjustState, takeCommands } from "./do-command.ts";
import { agentEnv } from "./agent-env.ts";
import { keepRecall, type RecallPast, recallPast } from "../session/past-conversations.ts";
import { findReviewer } from "./find-reviewer.ts";
import { firstState } from "./first-state.ts";
import { createSpendingLimits } from "./spending-limits.ts";
import { createLedgerKeeper } from "../ledger/ledger-keeper.ts";
import { findLostLock, tellLostLock, tellReaped } from "./locks-port.ts";
import { createMemoryKeeper } from "./memory-keeper.ts";
import { knownHealthOf, newRecord, sessionInput } from "./session-input.ts";
import type { StartRequest } from "./start-request.ts";
import { StateKeeper } from "../state/state-keeper.ts";
import { openSeal } from "./open-seal.ts";
import type { SupervisorPorts } from "./supervisor-ports.ts";
import { createAgentTurns } from "./agent-turns.ts";
import { type StopSwitch, createStopSwitch } from "../session/stop-switch.ts";
import type { Wait } from "../session/try-again.ts";
import { createSandboxKeeper } from "./sandbox-keeper.ts";
import { beginWait, endWait, showOutage, firstNext } from "./waiting.ts";
import { createReporter } from "../telling/reporter.ts";
import { withTelemetry } from "../telling/with-telemetry.ts";
import { withNotices } from "./with-notices.ts";
import { workerFiles } from "../state/worker-files.ts";
import { openWorkerLog } from "../state/worker-log.ts";
import type { WorkerState, WorkerStatus } from "../state/worker-state.ts";
import { findState } from "../state/worker-store.ts";

/** The loop of one worker whose locks are held: session after session until it is over. */
export class Supervisor {
  readonly #ports: SupervisorPorts;
  readonly #request: StartRequest;
  readonly #files;
  readonly #log;
  readonly #keeper: StateKeeper;
  readonly #memory;
  readonly #recallPast: RecallPast;
  readonly #reporter;
  readonly #ledger;
  readonly #budget;
  readonly #turns;
  readonly #git: Git;
  readonly #stop: StopSwitch;
  readonly #handoffs = createHandoffShelf((problem) => this.#keeper.remark(problem));
  readonly #sandboxes;
  #previousMarks: readonly string[] = [];
  #reviewer: Reviewer | undefined;
  #seal: Awaited<ReturnType<typeof openSeal>>;
  #knownHealth: SessionInput["knownHealth"];

  constructor(ports: SupervisorPorts, request: StartRequest) {
    this.#ports = ports;
    this.#request = request;
    this.#files = workerFiles(ports.home, request.name);
    this.#git = createGit(request.dir, ports.env);
    const graceMs = request.limits.handoffMinutes * 60_000;
    this.#stop = createStopSwitch({ clock: ports.clock, graceMs }, (isNow) => {
      this.#log.line(isNow ? "stop requested, at once" : "stop requested");
      this.#setStatus("stopping");
    });
    this.#log = openWorkerLog(this.#files, {
      now: ports.clock.now,
      onFailure: (error) => this.#keeper.remark(`the log cannot be written: ${errorText(error)}`),
      onLine: (text) => {
        this.#reporter.line(text);
        ports.onLine?.(text);
      },
      onEvent: (type, data) => this.#reporter.event(type, data),
    });
    this.#sandboxes = createSandboxKeeper({ ...ports, log: this.#log, files: this.#files }, request);
    const told = { git: this.#git, request, files: this.#files };
    const { line } = this.#log;
    const reporter = withTelemetry(createReporter(ports, told, line), ports, line);
    this.#reporter = withNotices(reporter, ports, request, line);
    this.#budget = createSpendingLimits({ home: ports.home, now: ports.clock.now, log: this.#log }, request);
    this.#keeper = new StateKeeper(ports, this.#reporter.tell);
    const own = { keeper: this.#keeper, log: this.#log, budget: this.#budget };
    this.#turns = createAgentTurns({ ...ports, ...own, sandboxOf: this.#sandboxes.describe }, request);
    this.#recallPast = keepRecall(ports.clock, (ask) => recallPast(agentEnv(ports.env), request.recall, ask));
    this.#ledger = createLedgerKeeper({ home: ports.home, now: ports.clock.now, onProblem: this.#log.line });
    this.#memory = createMemoryKeeper({ fetch: ports.fetch }, request.memory, this.#log);
  }

  async run(): Promise<WorkerState> {
    const { clock, locks, signals } = this.#ports;
    let driver = await this.#getDriver(this.#request.agent);
    const previous = findState(this.#ports.home, this.#request.name);
    this.#previousMarks = previous?.sessions.slice(-3).map((record) => record.mark) ?? [];
    const sandbox = this.#sandboxes.describe(this.#request.agent);
    const supervisor = ownIdentity();
    dropOldRequests(this.#files.control, this.#request.sinceMs ?? this.#ports.sinceMs);
    rmSync(this.#files.scratch, { recursive: true, force: true }); // of sessions that a crash cut off
    const { home, folder: own, handoffs, receipts, seal } = this.#files;
    for (const folder of [home, own, handoffs, receipts, dirname(seal)]) sweepTemporaries(folder);
    const workTree = await findWorkTree(this.#git);
    const known = { request: this.#request, previous, driver, supervisor, workTree, sandbox };
    this.#keeper.begin(this.#ledger.recover(firstState({ ...known, now: clock.now() })));
    const control = watchControl(
      this.#files.control,
      (asked) => (asked.type === "stop" ? this.#stop.press(asked.isNow) : this.#adjust(asked)),
      (error) => this.#log.line(`cannot read stop and adjust requests, retrying: ${errorText(error)}`),
    );
    const can = { stop: this.#stop.press, adjust: this.#adjust, tell: this.#log.line };
    const commands = takeCommands(this.#ports, this.#request, can);
    const onStop = () => this.#stop.press(false);
    const onStopNow = () => this.#stop.press(true);
    if (signals.stop.aborted) onStop();
    if (signals.stopNow.aborted) onStopNow();
    signals.stop.addEventListener("abort", onStop);
    for (const signal of [signals.stopNow, locks.lost]) signal.addEventListener("abort", onStopNow);
    try {
      if (!this.#stop.signals.asked.aborted) this.#setStatus("running");
      this.#log.line(
        `worker ${this.#request.name} ${this.#request.mode === "resume" ? "resumed" : "started"} in ${this.#request.dir} with ${driver.title}`,
      );
      tellReaped(locks, this.#log);
      this.#ports.onStarted(this.#keeper.state);
      const sealing = { env: this.#ports.env, clock, log: this.#log, git: this.#git };
      this.#seal = await openSeal(sealing, this.#files.seal, { request: this.#request, workTree, previous });
      this.#reviewer = await findReviewer(this.#ports, this.#request);
      let remarks: string[] = [];
      let next = firstNext(this.#keeper.state, clock.now());
      for (;;) {
        if (next.kind !== "end" && this.#stop.signals.asked.aborted)
          next = { kind: "end", status: "stopped", reason: "stopped by request" };
        if (next.kind === "end") return this.#finish(next.status, this.#lost() ?? next.reason);
        remarks = [...remarks, ...next.remarks];
        if (next.kind === "switch") driver = await this.#turns.switchAtLimit(next);
        if (next.kind === "wait") await this.#wait(next);
        if (next.kind === "continue" && next.pauseMs > 0) await this.#pause(next.pauseMs);
        if (this.#stop.signals.asked.aborted) continue;
        const refused = (await findLostLock(locks, this.#log)) ?? this.#budget.refuse(this.#keeper.state);
        if (refused !== undefined) {
          next = { kind: "end", status: "stopped", reason: refused };
          continue;
        }
        const turn = await this.#turns.take(driver);
        if ("wait" in turn) {
          next = turn.wait;
          continue;
        }
        driver = turn.driver;
        const said = [...turn.remarks, ...remarks.splice(0), ...commands.takeNotes()];
        const outcome = await this.#session(driver, said);
        next = this.#budget.after(this.#turns.decide(outcome), this.#keeper.state);
        this.#log.event("decision", { ...next });
      }
    } catch (error) {
      const lost = this.#lost();
      if (lost !== undefined) return this.#finish("stopped", lost);
      const reason = error instanceof AppError ? error.message : `internal error: ${errorText(error)}`;
      this.#log.line(
        error instanceof AppError || !(error instanceof Error) ? reason : (error.stack ?? reason),
      );
      this.#finish("failed", reason);
      throw error;
    } finally {
      control.close();
      this.#stop.close();
      signals.stop.removeEventListener("abort", onStop);
      for (const signal of [signals.stopNow, locks.lost]) signal.removeEventListener("abort", onStopNow);
      const last = this.#keeper.state.sessions.at(-1);
      if (last) await endMarked(last.mark, { clock, graceMs: 500 });
      await commands.close(this.#keeper.state.status);
      await this.#reporter.close();
    }
  }

  /** Why the work had to end at once, when it was not a person who wanted it. */
  #lost(): string | undefined {
    const { locks, signals } = this.#ports;
    const reason: unknown = signals.stopNow.reason;
    return typeof reason === "string" ? reason : tellLostLock(locks);
  }

  async #getDriver(agent: string): Promise<Driver> {
    return this.#ports.getDriver(agent, this.#request.agents[agent] ?? {});
  }

  readonly #adjust = (asked: Adjustment): void => {
    this.#keeper.update((state) => adjustState(state, asked));
    this.#log.line(`adjusted: ${JSON.stringify(asked, ["max", "task", "model", "budgetUsd"])}`);
  };

  #setStatus(status: WorkerStatus): void {
    const before = this.#keeper.state.status;
    this.#keeper.setStatus(status);
    if (before !== status) this.#log.event("status", { from: before, to: status });
  }

  get #waiting() {
    return { keeper: this.#keeper, log: this.#log, isStopping: () => this.#stop.signals.asked.aborted };
  }

  async #wait(wait: Wait): Promise<void> {
    const { clock } = this.#ports;
    beginWait(this.#waiting, wait);
    await clock.sleep(wait.untilMs - clock.now(), this.#stop.signals.asked);
    endWait(this.#waiting);
  }

  async #pause(ms: number): Promise<void> {
    this.#log.line(`pausing ${Math.round(ms / 1000)} s after an error`);
    await this.#ports.clock.sleep(ms, this.#stop.signals.asked);
  }

  async #session(driver: Driver, remarks: readonly string[]): Promise<SessionOutcome> {
    const record = newRecord(this.#keeper.state, this.#ports.clock.now());
    this.#keeper.openSession(record);
    const { state } = this.#keeper;
    this.#log.line(`session ${record.number} begins (${state.session} of ${state.max})`);
    this.#log.event("session-begin", { session: record.number, max: this.#keeper.state.max });
    const input = sessionInput(this.#keeper.state, record, {
      oldMarks: this.#previousMarks,
      remarks,
      gates: this.#request.gates,
      knownHealth: this.#knownHealth,
      seal: this.#seal,
    });
    const ended = this.#sandboxes.during(this.#keeper.state.agent, record.number, (sandbox) =>
      runSession(this.#sessionPorts(driver, sandbox, record.number), input),
    );
    const outcome = await ended.catch(async (error: unknown) => {
      await endMarked(record.mark, { clock: this.#ports.clock, graceMs: 1_000 });
      throw error;
    });
    this.#previousMarks = []; // a session that came to its end has ended all of its processes
    this.#knownHealth = knownHealthOf(outcome);
    const closed = outcome.record;
    this.#ledger.close(this.#keeper.state, closed);
    this.#keeper.closeSession(closed);
    this.#reporter.session(closed);
    const contradiction = describeContradiction(closed);
    if (contradiction !== undefined) this.#keeper.remark(contradiction);
    await this.#memory.learnFrom(this.#keeper.state, outcome);
    return outcome;
  }

  #sessionPorts(driver: Driver, sandbox: Sandbox | undefined, session: number): SessionPorts {
    const { clock, env, fetch, renderer } = this.#ports;
    return {
      clock,
      env: sandbox?.env ?? agentEnv(env),
      confinement: sandbox?.confinement,
      sandboxes: this.#sandboxes.aside(session),
      git: this.#git,
      fetch,
      driver,
      settings: this.#request.agents[this.#keeper.state.agent] ?? {},
      memory: this.#request.memory,
      memoryOff: this.#request.memoryOff,
      recall: this.#request.recall,
      recallPast: this.#recallPast,
      log: this.#log,
      files: this.#files,
      handoffs: this.#handoffs,
      randomWord: () => randomBytes(6).toString("hex"),
      stop: this.#stop.signals,
      reviewer: this.#reviewer,
      budgetLeftUsd: this.#budget.leftFor(this.#keeper.state),
      onProgress: (record) => {
        this.#ledger.progress(this.#keeper.state, record); // first: no state knows more than the ledger
        this.#keeper.progress(record);
      },
      onWait: (wait) => showOutage(this.#waiting, wait),
      renderer,
    };
  }

  #finish(status: WorkerStatus, reason: string): WorkerState {
    this.#setStatus(status);
    this.#keeper.update((state) => ({
      ...state,
      stopReason: reason,
      endedAt: new Date(this.#ports.clock.now()).toISOString(),
    }));
    this.#log.line(`worker ${this.#request.name} ended: ${status} (${reason})`);
    this.#log.event("end", { status, reason });
    takeControl(this.#files.control); // whatever was asked for meanwhile has come too late
    return this.#keeper.state;
  }
}
