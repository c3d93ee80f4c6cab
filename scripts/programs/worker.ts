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
      summary: "Stop a worker once its agent has written a handoff",
      load: async () => (await import("../commands/worker/stop.ts")).stop,
    },
    "stop-all": {
      summary: "Stop every worker, all at the same time",
      load: async () => (await import("../commands/worker/stop.ts")).stopAll,
    },
    log: {
      summary: "Recent output of a worker",
      load: async () => (await import("../commands/worker/log.ts")).log,
    },
    events: {
      summary: "Events of a worker, one per line",
      load: async () => (await import("../commands/worker/events.ts")).events,
    },
    report: {
      summary: "What became of the workers: outcome, cost, commits, what needs you first",
      load: async () => (await import("../commands/worker/report.ts")).report,
    },
    cost: {
      summary: "Tokens and cost by day, agent, project or worker",
      load: async () => (await import("../commands/worker/cost.ts")).cost,
    },
    diff: {
      summary: "The changes of a worker's commits as one patch",
      load: async () => (await import("../commands/worker/diff.ts")).diff,
    },
    handoff: {
      summary: "The handoff of a worker's last session, or of a given one",
      load: async () => (await import("../commands/worker/handoff.ts")).handoff,
    },
    verify: {
      summary: "Judge a worker's work again by the rules sealed at its start",
      load: async () => (await import("../commands/worker/verify.ts")).verify,
    },
    accept: {
      summary: "Confirm that work is done where no rule could decide it",
      load: async () => (await import("../commands/worker/accept.ts")).accept,
    },
    receipt: {
      summary: "The signed receipt of a worker's last verdict",
      load: async () => (await import("../commands/worker/receipt.ts")).receipt,
    },
    adjust: {
      summary: "Change a running worker, from its next session on",
      load: async () => (await import("../commands/worker/adjust.ts")).adjust,
    },
    resume: {
      summary: "Resume a worker that crashed, was stopped or reached a limit",
      load: async () => (await import("../commands/worker/resume.ts")).resume,
    },
    remove: {
      summary: "Remove a worker that has ended: its state, log, handoffs and worktree",
      load: async () => (await import("../commands/worker/remove.ts")).remove,
    },
    rescue: {
      summary: "Uncommitted work that was rescued: list, show, apply",
      commands: {
        list: {
          summary: "Uncommitted work that was rescued, by worker and session",
          load: async () => (await import("../commands/worker/rescue.ts")).rescueList,
        },
        show: {
          summary: "A rescue as a patch",
          load: async () => (await import("../commands/worker/rescue.ts")).rescueShow,
        },
        apply: {
          summary: "Put rescued work back into the work tree, uncommitted; all of it or nothing",
          load: async () => (await import("../commands/worker/rescue.ts")).rescueApply,
        },
      },
    },
  },
};
