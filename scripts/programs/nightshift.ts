import type { CommandGroup, Entry, Program } from "../command/define-command.ts";
import { agentRecall } from "./agent-recall.ts";
import { agentSearch } from "./agent-search.ts";
import { ctx } from "./ctx.ts";
import { steerer } from "./steerer.ts";
import { worker } from "./worker.ts";

const memory: CommandGroup = {
  summary: "Learnings that later sessions are given: find, add, move, keys",
  commands: {
    search: {
      summary: "Learnings that fit a text, the best first",
      load: async () => (await import("../commands/nightshift/memory.ts")).memorySearch,
    },
    add: {
      summary: "Store a learning: when <trigger>, <learning>",
      load: async () => (await import("../commands/nightshift/memory.ts")).memoryAdd,
    },
    list: {
      summary: "Stored learnings, the newest first",
      load: async () => (await import("../commands/nightshift/memory.ts")).memoryList,
    },
    rm: {
      summary: "Delete learnings by id, or by marker",
      load: async () => (await import("../commands/nightshift/memory.ts")).memoryRm,
    },
    export: {
      summary: "Write every learning as JSON lines",
      load: async () => (await import("../commands/nightshift/memory-transfer.ts")).memoryExport,
    },
    import: {
      summary: "Store learnings from JSON lines; what is there already is merged",
      load: async () => (await import("../commands/nightshift/memory-transfer.ts")).memoryImport,
    },
    "add-key": {
      summary: "Make a memory key for another writer; it is printed this once",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyCreate,
    },
    keys: {
      summary: "Memory keys: whose, and for which scopes",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyList,
    },
    "rm-key": {
      summary: "End a memory key at once",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyRevoke,
    },
  },
};

const token: CommandGroup = {
  summary: "Tokens of the server: make, list, end",
  commands: {
    create: {
      summary: "Make a token; its secret is printed this once",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenCreate,
    },
    list: {
      summary: "Tokens: what each may do, until when, and when it was last used",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenList,
    },
    revoke: {
      summary: "End a token and its sign-ins, at once",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenRevoke,
    },
  },
};

const queue: CommandGroup = {
  summary: "Tasks that any pool may take: add, list, cancel, retry",
  commands: {
    add: {
      summary: "Put a task into the queue, for whichever pool has room",
      load: async () => (await import("../commands/queue/add.ts")).queueAdd,
    },
    list: {
      summary: "Tasks of the queue: state, host, sessions, why",
      load: async () => (await import("../commands/queue/list.ts")).queueList,
    },
    show: {
      summary: "Everything about one task: where it stands, its result, what happened",
      load: async () => (await import("../commands/queue/show.ts")).queueShow,
    },
    cancel: {
      summary: "Take a task out of the queue, or have its worker stopped",
      load: async () => (await import("../commands/queue/change.ts")).queueCancel,
    },
    retry: {
      summary: "Put a task that failed, was cancelled or is unverified into the queue again",
      load: async () => (await import("../commands/queue/change.ts")).queueRetry,
    },
  },
};

const notify: CommandGroup = {
  summary: "Channels on which you are told how your workers are",
  commands: {
    test: {
      summary: "Send a message to your channels now",
      load: async () => (await import("../commands/nightshift/notify.ts")).notifyTest,
    },
    list: {
      summary: "Channels, what waits to be sent, and what could not be delivered",
      load: async () => (await import("../commands/nightshift/notify.ts")).notifyList,
    },
  },
};

const sandbox: CommandGroup = {
  summary: "What a session may touch, and whom it may call",
  commands: {
    explain: {
      summary: "Print what a session would see, write and call",
      load: async () => (await import("../commands/nightshift/sandbox.ts")).sandboxExplain,
    },
    shell: {
      summary: "Open a shell, or run a command, as a session's tools are",
      load: async () => (await import("../commands/nightshift/sandbox.ts")).sandboxShell,
    },
  },
};

const webmcp: CommandGroup = {
  summary: "Tools for agents out of an OpenAPI document: explain, build, lock",
  commands: {
    explain: {
      summary: "Say of every operation whether it is a tool, and what stands in its way",
      load: async () => (await import("../commands/webmcp/explain.ts")).webmcpExplain,
    },
    build: {
      summary: "Write the manifest and the bootstrap of a static site",
      load: async () => (await import("../commands/webmcp/build.ts")).webmcpBuild,
    },
    lock: {
      summary: "Write down the tools of a document, so that a change of one is noticed",
      load: async () => (await import("../commands/webmcp/lock.ts")).webmcpLock,
    },
    check: {
      summary: "Compare the tools of a document with the lock file; exit 1 when they drifted",
      load: async () => (await import("../commands/webmcp/lock.ts")).webmcpCheck,
    },
  },
};

/** Everything that the package does, by what somebody is about to do. The other programs are commands here, too. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  Start: {
    init: {
      summary: "Set a project up: config, gates, AGENTS.md, hooks, CI",
      load: async () => (await import("../commands/nightshift/init.ts")).init,
    },
    demo: {
      summary: "Watch a worker do its job, from a red gate to a verified end",
      load: async () => (await import("../commands/nightshift/demo.ts")).demo,
    },
    doctor: {
      summary: "Check this machine and this project, with the fix for each problem",
      load: async () => (await import("../commands/nightshift/doctor.ts")).doctor,
    },
    trust: {
      summary: "Agree to the code of a project's config, as it is now",
      load: async () => (await import("../commands/nightshift/trust.ts")).trust,
    },
    completion: {
      summary: "Print the completion script of a shell",
      load: async () => (await import("../commands/nightshift/completion.ts")).completion,
    },
  },
  Work: {
    worker,
    steerer,
    run: {
      summary: "Run a task script and everything it needs",
      load: async () => (await import("../commands/nightshift/run.ts")).run,
    },
    tasks: {
      summary: "List the project's task scripts",
      load: async () => (await import("../commands/nightshift/tasks.ts")).tasks,
    },
    notify,
    sandbox,
    queue,
    pool: {
      summary: "Work on the tasks of the queue, as many at once as there are slots",
      load: async () => (await import("../commands/queue/pool.ts")).pool,
    },
  },
  Verify: {
    verify: {
      summary: "Prove the receipt of a verdict: signature, digests, and with --run the gates again",
      load: async () => (await import("../commands/nightshift/verify.ts")).verify,
    },
    gate: {
      summary: "Run the project's gates: exit 0 healthy, exit 1 blockers",
      load: async () => (await import("../commands/nightshift/gate.ts")).gate,
    },
  },
  Memory: {
    memory,
    search: agentSearch,
    recall: agentRecall,
    ctx,
  },
  Publish: {
    publish: {
      summary: "Publish a folder as a site",
      load: async () => (await import("../commands/nightshift/publish.ts")).publish,
    },
    webmcp,
  },
  Operate: {
    mcp: {
      summary: "Offer memory, conversations, workers and publishing to an agent by MCP",
      load: async () => (await import("../commands/nightshift/mcp.ts")).mcp,
    },
    serve: {
      summary: "Run the server: memory, publishing, the API",
      load: async () => (await import("../commands/nightshift/serve.ts")).serve,
    },
    login: {
      summary: "Make a server known as yours, with the files of its token and memory key",
      load: async () => (await import("../commands/nightshift/login.ts")).login,
    },
    token,
    "security-log": {
      summary: "Who came in, who was turned away, and what was changed about it",
      load: async () => (await import("../commands/nightshift/security-log.ts")).securityLog,
    },
    backup: {
      summary: "Write everything the server knows into one file",
      load: async () => (await import("../commands/nightshift/backup.ts")).backup,
    },
    restore: {
      summary: "Put a backup in the place of the server's data",
      load: async () => (await import("../commands/nightshift/backup.ts")).restore,
    },
    migrate: {
      summary: "Copy a server's data folder into a PostgreSQL",
      load: async () => (await import("../commands/nightshift/migrate.ts")).migrate,
    },
  },
};

const byTitle = Object.entries(SECTIONS);

export const nightshift: Program = {
  name: "nightshift",
  summary: "Runs coding agents unattended, and checks, remembers and publishes what they do",
  commands: Object.fromEntries(byTitle.flatMap(([, entries]) => Object.entries(entries))),
  sections: Object.fromEntries(byTitle.map(([title, entries]) => [title, Object.keys(entries)])),
};
