import { type Static, Type } from "../../schema.ts";

/** `steerer`: the loop that looks after workers. */
export const SteererSection = Type.Object(
  {
    dirs: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Directories to watch (default: the config's folder)",
      }),
    ),
    intervalSeconds: Type.Optional(
      Type.Number({ minimum: 0.05, default: 30, description: "Time between two rounds" }),
    ),
    policies: Type.Optional(
      Type.Object(
        {
          restart: Type.Optional(Type.Boolean({ default: true, description: "Restart crashed supervisors" })),
          restartsPerHour: Type.Optional(
            Type.Integer({
              minimum: 0,
              default: 3,
              description: "Restarts of one worker in an hour before it gives up",
            }),
          ),
          reap: Type.Optional(Type.Boolean({ default: true, description: "End orphaned processes" })),
          rescue: Type.Optional(
            Type.Boolean({ default: true, description: "Save uncommitted work of dead sessions" }),
          ),
          learn: Type.Optional(
            Type.Boolean({ default: true, description: "Store failures and project state in memory" }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

/** `memory`: where the memory service is, and how the server's own one behaves. */
export const MemorySection = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description:
          "Base address of the memory service (default: this machine's server, once it made a key)",
      }),
    ),
    publicRead: Type.Optional(
      Type.Boolean({ default: false, description: "Let `/inject` answer without a key on any bind" }),
    ),
    aliases: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
        description: "Words that mean the same, besides the built-in ones",
      }),
    ),
    embeddings: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            pattern: "^https?://",
            description: "OpenAI-compatible endpoint (…/v1/embeddings)",
          }),
          model: Type.String({ minLength: 1 }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

/** `recall`: what a worker is told of past conversations about its task. */
export const RecallSection = Type.Object(
  {
    enabled: Type.Optional(
      Type.Boolean({ default: true, description: "Quote past conversations about the task in the prompt" }),
    ),
    scope: Type.Optional(
      Type.Union([Type.Literal("everywhere"), Type.Literal("directory")], {
        default: "everywhere",
        description: "Conversations held anywhere, or only in the worker's directory",
      }),
    ),
    maxTokens: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 20_000,
        default: 1000,
        description: "How much is quoted at most",
      }),
    ),
    timeoutSeconds: Type.Optional(
      Type.Number({
        minimum: 0.05,
        maximum: 60,
        default: 5,
        description: "After this a session begins without",
      }),
    ),
  },
  { additionalProperties: false },
);

/** `server`: where the server listens, and where commands find it. */
export const ServerSection = Type.Object(
  {
    url: Type.Optional(Type.String({ pattern: "^https?://", description: "Address that commands use" })),
    host: Type.Optional(Type.String({ minLength: 1, default: "127.0.0.1" })),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, default: 4747 })),
    sitesDomain: Type.Optional(
      Type.String({ minLength: 1, description: "Domain under which sites are served (default localhost)" }),
    ),
  },
  { additionalProperties: false },
);

export type ServerDeclaration = Static<typeof ServerSection>;
