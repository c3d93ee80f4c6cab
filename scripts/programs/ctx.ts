import type { Program } from "../command/define-command.ts";

export const ctx: Program = {
  name: "ctx",
  summary: "Inspect a conversation's context and remove messages from it",
  commands: {
    size: {
      summary: "Tokens that the next request would send",
      load: async () => (await import("../commands/ctx/size.ts")).size,
    },
    list: {
      summary: "List recent messages with the ids that ctx forget takes, or conversations",
      load: async () => (await import("../commands/ctx/list.ts")).list,
    },
    search: {
      summary: "Messages that mention a term",
      load: async () => (await import("../commands/ctx/search.ts")).search,
    },
    forget: {
      summary: "Remove messages from the context",
      load: async () => (await import("../commands/ctx/forget.ts")).forget,
    },
    undo: {
      summary: "Undo the last forget",
      load: async () => (await import("../commands/ctx/undo.ts")).undo,
    },
    doctor: {
      summary: "Find and repair broken conversations",
      load: async () => (await import("../commands/ctx/doctor.ts")).doctor,
    },
  },
};
