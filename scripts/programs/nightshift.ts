import type { Program } from "../command/define-command.ts";

export const nightshift: Program = {
  name: "nightshift",
  summary: "Runs coding agents unattended: projects, gates, tasks, server, publishing.",
  commands: {
    demo: {
      summary: "Watch a worker do its job, from a red gate to a verified end",
      load: async () => (await import("../commands/nightshift/demo.ts")).demo,
    },
    init: {
      summary: "Set a project up: config, gates, AGENTS.md, hooks, CI",
      load: async () => (await import("../commands/nightshift/init.ts")).init,
    },
    doctor: {
      summary: "Check this machine and this project, with the fix for each problem",
      load: async () => (await import("../commands/nightshift/doctor.ts")).doctor,
    },
    trust: {
      summary: "Agree to the code of a project's config, as it is now",
      load: async () => (await import("../commands/nightshift/trust.ts")).trust,
    },
    run: {
      summary: "Run a task script and everything it needs",
      load: async () => (await import("../commands/nightshift/run.ts")).run,
    },
    tasks: {
      summary: "List the project's task scripts",
      load: async () => (await import("../commands/nightshift/tasks.ts")).tasks,
    },
    gate: {
      summary: "Run the project's gates: exit 0 healthy, exit 1 blockers",
      load: async () => (await import("../commands/nightshift/gate.ts")).gate,
    },
    publish: {
      summary: "Publish a folder as a site",
      load: async () => (await import("../commands/nightshift/publish.ts")).publish,
    },
    login: {
      summary: "Make a server known as yours, with the files of its token and memory key",
      load: async () => (await import("../commands/nightshift/login.ts")).login,
    },
    "token create": {
      summary: "Make a token; its secret is printed this once",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenCreate,
    },
    "token list": {
      summary: "Tokens: what each may do, until when, and when it was last used",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenList,
    },
    "token revoke": {
      summary: "End a token and its sign-ins, at once",
      load: async () => (await import("../commands/nightshift/token.ts")).tokenRevoke,
    },
    "security-log": {
      summary: "Who came in, who was turned away, and what was changed about it",
      load: async () => (await import("../commands/nightshift/security-log.ts")).securityLog,
    },
    serve: {
      summary: "Run the server: memory, publishing, the API",
      load: async () => (await import("../commands/nightshift/serve.ts")).serve,
    },
    backup: {
      summary: "Write everything the server knows into one file",
      load: async () => (await import("../commands/nightshift/backup.ts")).backup,
    },
    restore: {
      summary: "Put a backup in the place of the server's data",
      load: async () => (await import("../commands/nightshift/backup.ts")).restore,
    },
    "memory search": {
      summary: "Learnings that fit a text, the best first",
      load: async () => (await import("../commands/nightshift/memory.ts")).memorySearch,
    },
    "memory add": {
      summary: "Store a learning: when <trigger>, <learning>",
      load: async () => (await import("../commands/nightshift/memory.ts")).memoryAdd,
    },
    "memory list": {
      summary: "Stored learnings, the newest first",
      load: async () => (await import("../commands/nightshift/memory.ts")).memoryList,
    },
    "memory rm": {
      summary: "Delete learnings by id, or by marker",
      load: async () => (await import("../commands/nightshift/memory.ts")).memoryRm,
    },
    "memory export": {
      summary: "Write every learning as JSON lines",
      load: async () => (await import("../commands/nightshift/memory-transfer.ts")).memoryExport,
    },
    "memory import": {
      summary: "Store learnings from JSON lines; what is there already is merged",
      load: async () => (await import("../commands/nightshift/memory-transfer.ts")).memoryImport,
    },
    "memory add-key": {
      summary: "Make a memory key for another writer; it is printed this once",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyCreate,
    },
    "memory keys": {
      summary: "Memory keys: whose, and for which scopes",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyList,
    },
    "memory rm-key": {
      summary: "End a memory key at once",
      load: async () => (await import("../commands/nightshift/memory-key.ts")).memoryKeyRevoke,
    },
    migrate: {
      summary: "Copy a server's data folder into a PostgreSQL",
      load: async () => (await import("../commands/nightshift/migrate.ts")).migrate,
    },
    "queue add": {
      summary: "Put a task into the queue, for whichever pool has room",
      load: async () => (await import("../commands/queue/add.ts")).queueAdd,
    },
    "queue list": {
      summary: "Tasks of the queue: state, host, sessions, why",
      load: async () => (await import("../commands/queue/list.ts")).queueList,
    },
    "queue show": {
      summary: "Everything about one task: where it stands, its result, what happened",
      load: async () => (await import("../commands/queue/show.ts")).queueShow,
    },
    "queue cancel": {
      summary: "Take a task out of the queue, or have its worker stopped",
      load: async () => (await import("../commands/queue/change.ts")).queueCancel,
    },
    "queue retry": {
      summary: "Put a task that failed, was cancelled or is unverified into the queue again",
      load: async () => (await import("../commands/queue/change.ts")).queueRetry,
    },
    pool: {
      summary: "Work on the tasks of the queue, as many at once as there are slots",
      load: async () => (await import("../commands/queue/pool.ts")).pool,
    },
    completion: {
      summary: "Print the completion script of a shell",
      load: async () => (await import("../commands/nightshift/completion.ts")).completion,
    },
    "webmcp explain": {
      summary: "Say of every operation whether it is a tool, and what stands in its way",
      load: async () => (await import("../commands/webmcp/explain.ts")).webmcpExplain,
    },
    "webmcp build": {
      summary: "Write the manifest and the bootstrap of a static site",
      load: async () => (await import("../commands/webmcp/build.ts")).webmcpBuild,
    },
    "webmcp lock": {
      summary: "Write down the tools of a document, so that a change of one is noticed",
      load: async () => (await import("../commands/webmcp/lock.ts")).webmcpLock,
    },
    "webmcp check": {
      summary: "Compare the tools of a document with the lock file; exit 1 when they drifted",
      load: async () => (await import("../commands/webmcp/lock.ts")).webmcpCheck,
    },
  },
};
