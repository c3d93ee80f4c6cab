import { type Static, Type } from "../../schema.ts";
import { number, oneOf, section, texts, whole } from "./fields.ts";

const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*\\*?$" }), { description }));
const count = (description: string, usual: number, most: number) =>
  whole(description, { minimum: 1, maximum: most, default: usual });

/** What a session may use of the machine. */
export const SandboxLimitsSection = section({
  tmpMiB: count("Size limit of /tmp, of the private home and of shared memory, each", 2048, 1_048_576),
  fileMiB: count("Size limit of a file that it writes", 10_240, 1_048_576),
  processes: count("Limit of processes and threads at a time", 4096, 1_000_000),
  memoryMiB: whole(
    "Memory limit of everything that runs in it (without a cgroup: of each process); none by default",
    { minimum: 16, maximum: 16_777_216 },
  ),
  cpus: number("Limit of processors that it keeps busy, where there is a cgroup; none by default", {
    minimum: 0.1,
    maximum: 4096,
  }),
});

/** `sandbox`, and `workers.<name>.sandbox`, which adds to it: what a session may touch, and whom it may call. */
export const SandboxSection = section({
  mode: oneOf(
    ["auto", "bubblewrap", "none"],
    "`auto`: on where the machine can do it; `bubblewrap`: no start without it; `none`: with all your rights",
    "auto",
  ),
  network: Type.Optional(
    section({
      mode: oneOf(
        ["allow-list", "open", "none"],
        "Hosts that are allowed, every public host, or none",
        "allow-list",
      ),
      allow: texts(
        "Hosts beside those of the agent's model, of the lock files' registries and of the memory: `host`, `*.host`, `host:port`",
      ),
    }),
  ),
  allowRead: texts("Hidden files and folders that it may read all the same"),
  allowWrite: texts("Files and folders outside of the work tree that it may write"),
  hide: texts("More files and folders that it must not see"),
  caches: texts("Folders of package caches that it may write, such as ~/.npm"),
  env: names(
    "Variables of your environment that reach it beside the usual ones; `NAME*` for all that begin so",
  ),
  secrets: names("Variables with secrets that reach it, and are taken out of everything that is kept"),
  limits: Type.Optional(SandboxLimitsSection),
});

export type SandboxDeclaration = Static<typeof SandboxSection>;
