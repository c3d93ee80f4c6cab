import type { Program } from "../command/define-command.ts";

export const worker: Program = {
  name: "worker",
  summary: "Runs coding agents through as many sessions as a task takes, checked by gates",
  commands: {
    start: {
      summary: "Start a worker and return once it is running",
      load: async () => (await import("../commands/worker/start.ts")).start,
    },
    list: {
      summary: "Every worker: status, sessions, directory, context, cost, age, last gate",
      load: async () => (await import("../commands/worker/list.ts")).list,
    },
    status: {
      summary: "Everything about one worker, session by session",
      load: async () => (await import("../commands/worker/status.ts")).status,
    },
    stop: {
      summary: "Stop a worker: the agent gives its handoff, then it is ended",
      load: async () => (await import("../commands/worker/stop.ts")).stop,
    },
    "stop-all": {
      summary: "Stop every worker, all at the same time",
      load: async () => (await import("../commands/worker/stop-all.ts")).stopAll,
    },
    log: {
      summary: "Recent output of a worker",
      load: async () => (await import("../commands/worker/log.ts")).log,
    },
    events: {
      summary: "What happened to a worker, event by event, for programs and for a close look",
      load: async () => (await import("../commands/worker/events.ts")).events,
    },
    report: {
      summary: "What became of the workers: outcome, cost, commits, what needs you first",
      load: async () => (await import("../commands/worker/report.ts")).report,
    },
    cost: {
      summary: "Tokens and money by day, agent, project or worker, from the ledger of all workers",
      load: async () => (await import("../commands/worker/cost.ts")).cost,
    },
    diff: {
      summary: "What a worker's commits changed, as one patch",
      load: async () => (await import("../commands/worker/diff.ts")).diff,
    },
    handoff: {
      summary: "The handoff that a worker's last session left, or the one of a session",
      load: async () => (await import("../commands/worker/handoff.ts")).handoff,
    },
    verify: {
      summary: "Judge the work of a worker again, by the rules sealed at its start",
      load: async () => (await import("../commands/worker/verify.ts")).verify,
    },
    accept: {
      summary: "Your word that the work is done, where no rule could decide it",
      load: async () => (await import("../commands/worker/accept.ts")).accept,
    },
    receipt: {
      summary: "The signed receipt of a worker's last verdict",
      load: async () => (await import("../commands/worker/receipt.ts")).receipt,
    },
    adjust: {
      summary: "Change a running worker; the next session has it",
      load: async () => (await import("../commands/worker/adjust.ts")).adjust,
    },
    resume: {
      summary: "Go on with a worker that crashed, was stopped or ran into a limit",
      load: async () => (await import("../commands/worker/resume.ts")).resume,
    },
    remove: {
      summary: "Forget a worker that has ended: its state, log, handoffs and worktree",
      load: async () => (await import("../commands/worker/remove.ts")).remove,
    },
    rescue: {
      summary: "Uncommitted work that was saved to refs of its own: list, show, apply",
      commands: {
        list: {
          summary: "Uncommitted work of a worker that was saved to refs of its own",
          load: async () => (await import("../commands/worker/rescue-list.ts")).rescueList,
        },
        show: {
          summary: "What a rescue holds, as a patch",
          load: async () => (await import("../commands/worker/rescue-show.ts")).rescueShow,
        },
        apply: {
          summary: "Bring rescued work back into the work tree, uncommitted; all of it or nothing",
          load: async () => (await import("../commands/worker/rescue-apply.ts")).rescueApply,
        },
      },
    },
  },
};
