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
      summary: "Learnings that match a text, best first",
      load: async () => (await import("../commands/nightshift/memory.ts")).memorySearch,
    },
    add: {
      summary: "Store a learning: when <trigger>, <learning>",
      load: async () => (await import("../commands/nightshift/memory.ts")).memoryAdd,
    },
    list: {
      summary: "Stored learnings, newest first",
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
      summary: "Create a memory key for another writer; it is printed only once",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyCreate,
    },
    keys: {
      summary: "Memory keys: their writers and scopes",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyList,
    },
    "rm-key": {
      summary: "Revoke a memory key",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyRevoke,
    },
  },
};

const token: CommandGroup = {
  summary: "Server tokens: create, list, revoke",
  commands: {
    create: {
      summary: "Create a token; its secret is printed only once",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenCreate,
    },
    list: {
      summary: "Tokens: what each may do, until when, and when it was last used",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenList,
    },
    revoke: {
      summary: "Revoke a token and its sign-ins",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenRevoke,
    },
  },
};

const queue: CommandGroup = {
  summary: "Tasks that any pool may take: add, list, cancel, retry",
  commands: {
    add: {
      summary: "Add a task to the queue, for any pool with a free slot",
      load: async () => (await import("../commands/queue/add.ts")).queueAdd,
    },
    list: {
      summary: "Tasks of the queue: state, host, sessions, why",
      load: async () => (await import("../commands/queue/list.ts")).queueList,
    },
    show: {
      summary: "Everything about one task: its state, its result, what happened",
      load: async () => (await import("../commands/queue/show.ts")).queueShow,
    },
    cancel: {
      summary: "Cancel a task, and stop its worker if it runs",
      load: async () => (await import("../commands/queue/change.ts")).queueCancel,
    },
    retry: {
      summary: "Queue a task again that failed, was cancelled or is unverified",
      load: async () => (await import("../commands/queue/change.ts")).queueRetry,
    },
  },
};

const notify: CommandGroup = {
  summary: "Notification channels: list them, try them",
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
  summary: "What a session may read, write and call",
  commands: {
    explain: {
      summary: "Print what a session could read, write and call",
      load: async () => (await import("../commands/nightshift/sandbox.ts")).sandboxExplain,
    },
    shell: {
      summary: "Open a shell or run a command inside a session's sandbox",
      load: async () => (await import("../commands/nightshift/sandbox.ts")).sandboxShell,
    },
  },
};

const webmcp: CommandGroup = {
  summary: "Agent tools from an OpenAPI document: explain, build, lock",
  commands: {
    explain: {
      summary: "Say whether each operation is a tool, and if not, why",
      load: async () => (await import("../commands/webmcp/explain.ts")).webmcpExplain,
    },
    build: {
      summary: "Write the manifest and the bootstrap of a static site",
      load: async () => (await import("../commands/webmcp/build.ts")).webmcpBuild,
    },
    lock: {
      summary: "Record the tools of a document, so that changes are noticed",
      load: async () => (await import("../commands/webmcp/lock.ts")).webmcpLock,
    },
    check: {
      summary: "Compare the tools of a document with the lock file; exit 1 if they differ",
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
      summary: "Check this machine and this project; name a fix for each problem",
      load: async () => (await import("../commands/nightshift/doctor.ts")).doctor,
    },
    trust: {
      summary: "Trust the code of a project's config as it is now",
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
      summary: "Run tasks from the queue, one in each slot",
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
      summary: "Offer memory, conversations, workers and publishing to agents over MCP",
      load: async () => (await import("../commands/nightshift/mcp.ts")).mcp,
    },
    serve: {
      summary: "Run the server: memory, publishing, the API",
      load: async () => (await import("../commands/nightshift/serve.ts")).serve,
    },
    login: {
      summary: "Trust a server, and name the files of its token and memory key",
      load: async () => (await import("../commands/nightshift/login.ts")).login,
    },
    token,
    "security-log": {
      summary: "The security log: sign-ins, refusals, changes of access",
      load: async () => (await import("../commands/nightshift/security-log.ts")).securityLog,
    },
    backup: {
      summary: "Write everything the server knows into one file",
      load: async () => (await import("../commands/nightshift/backup.ts")).backup,
    },
    restore: {
      summary: "Replace the server's data with a backup",
      load: async () => (await import("../commands/nightshift/backup.ts")).restore,
    },
    migrate: {
      summary: "Copy a server's data folder into PostgreSQL",
      load: async () => (await import("../commands/nightshift/migrate.ts")).migrate,
    },
  },
};

const byTitle = Object.entries(SECTIONS);

export const nightshift: Program = {
  name: "nightshift",
  summary: "Runs coding agents unattended; checks, remembers and publishes what they do",
  commands: Object.fromEntries(byTitle.flatMap(([, entries]) => Object.entries(entries))),
  sections: Object.fromEntries(byTitle.map(([title, entries]) => [title, Object.keys(entries)])),
};
