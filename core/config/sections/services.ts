import { type Static, Type } from "../../schema.ts";
import { flag, number, oneOf, section, text, texts, whole } from "./fields.ts";

/** `steerer`: the loop that looks after workers. */
export const SteererSection = section({
  dirs: texts("Directories to watch (default: the config's folder)"),
  intervalSeconds: number("Time between two rounds", { minimum: 0.05, default: 30 }),
  policies: Type.Optional(
    section({
      restart: flag("Restart crashed supervisors", true),
      restartsPerHour: whole("Restarts of one worker in an hour before it gives up", {
        minimum: 0,
        default: 3,
      }),
      reap: flag("End orphaned processes", true),
      rescue: flag("Save uncommitted work of dead sessions", true),
      learn: flag("Store failures and project state in memory", true),
    }),
  ),
});

/** `memory`: where the memory service is, and how the server's own one behaves. */
export const MemorySection = section({
  url: Type.Optional(
    Type.String({
      pattern: "^https?://",
      description: "Base address of the memory service (default: this machine's server, once it made a key)",
    }),
  ),
  publicRead: flag("Let `/inject` answer without a key on any bind", false),
  aliases: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
      description: "Words that mean the same, besides the built-in ones",
    }),
  ),
  embeddings: Type.Optional(
    section({
      url: Type.String({
        pattern: "^https?://",
        description: "OpenAI-compatible endpoint (…/v1/embeddings)",
      }),
      model: Type.String({ minLength: 1 }),
    }),
  ),
});

/** `recall`: what a worker is told of past conversations about its task. */
export const RecallSection = section({
  enabled: flag("Quote past conversations about the task in the prompt", true),
  scope: oneOf(
    ["everywhere", "directory"],
    "Conversations held anywhere, or only in the worker's directory",
    "everywhere",
  ),
  maxTokens: whole("How much is quoted at most", { minimum: 100, maximum: 20_000, default: 1000 }),
  timeoutSeconds: number("After this a session begins without", { minimum: 0.05, maximum: 60, default: 5 }),
});

/** `server`: where the server listens, and where commands find it. */
export const ServerSection = section({
  url: Type.Optional(Type.String({ pattern: "^https?://", description: "Address that commands use" })),
  host: Type.Optional(Type.String({ minLength: 1, default: "127.0.0.1" })),
  port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, default: 4747 })),
  sitesDomain: text("Domain under which sites are served (default localhost)"),
});

export type ServerDeclaration = Static<typeof ServerSection>;
