import { type Static, Type } from "../../schema.ts";

const paths = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description }));
const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*\\*?$" }), { description }));
const count = (description: string, usual: number, most: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: usual, description }));

/** What a session may use of the machine. */
export const SandboxLimitsSection = Type.Object(
  {
    tmpMiB: count("Size limit of /tmp, of the private home and of shared memory, each", 2048, 1_048_576),
    fileMiB: count("Size limit of a file that it writes", 10_240, 1_048_576),
    processes: count("Limit of processes and threads at a time", 4096, 1_000_000),
    memoryMiB: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 16_777_216,
        description:
          "Memory limit of everything that runs in it (without a cgroup: of each process); none by default",
      }),
    ),
    cpus: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 4096,
        description: "Limit of processors that it keeps busy, where there is a cgroup; none by default",
      }),
    ),
  },
  { additionalProperties: false },
);

/** `sandbox`, and `workers.<name>.sandbox`, which adds to it: what a session may touch, and whom it may call. */
export const SandboxSection = Type.Object(
  {
    mode: Type.Optional(
      Type.Union([Type.Literal("auto"), Type.Literal("bubblewrap"), Type.Literal("none")], {
        default: "auto",
        description:
          "`auto`: on where the machine can do it; `bubblewrap`: no start without it; `none`: with all your rights",
      }),
    ),
    network: Type.Optional(
      Type.Object(
        {
          mode: Type.Optional(
            Type.Union([Type.Literal("allow-list"), Type.Literal("open"), Type.Literal("none")], {
              default: "allow-list",
              description: "Hosts that are allowed, every public host, or none",
            }),
          ),
          allow: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description:
                "Hosts beside those of the agent's model, of the lock files' registries and of the memory: `host`, `*.host`, `host:port`",
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    allowRead: paths("Hidden files and folders that it may read all the same"),
    allowWrite: paths("Files and folders outside of the work tree that it may write"),
    hide: paths("More files and folders that it must not see"),
    caches: paths("Folders of package caches that it may write, such as ~/.npm"),
    env: names(
      "Variables of your environment that reach it beside the usual ones; `NAME*` for all that begin so",
    ),
    secrets: names("Variables with secrets that reach it, and are taken out of everything that is kept"),
    limits: Type.Optional(SandboxLimitsSection),
  },
  { additionalProperties: false },
);

export type SandboxDeclaration = Static<typeof SandboxSection>;
