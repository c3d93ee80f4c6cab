import type { Program } from "../command/define-command.ts";

export const ctx: Program = {
  name: "ctx",
  summary: "Look into a conversation's context and take messages out of it",
  commands: {
    size: {
      summary: "Tokens the next request would carry",
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
      summary: "Take messages out of the context",
      load: async () => (await import("../commands/ctx/forget.ts")).forget,
    },
    undo: {
      summary: "Take the last forget back",
      load: async () => (await import("../commands/ctx/undo.ts")).undo,
    },
    doctor: {
      summary: "Find and repair broken conversations",
      load: async () => (await import("../commands/ctx/doctor.ts")).doctor,
    },
  },
};
