import { isAbsolute } from "node:path";
import { WORKER_NAME } from "../../../core/config/config-schema.ts";
import { AppError } from "../../../core/errors.ts";
import { createGit } from "../../../core/git.ts";
import { hostName } from "../../../core/host-name.ts";
import { realFolder } from "../../../core/paths.ts";
import { addJob } from "../../../queue/add-job.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { checkRepo } from "./check-repo.ts";
import { withQueue } from "./open-queue.ts";
import { taskView } from "./show-task.ts";

type PlaceFlags = {
  repo: string | undefined;
  dir: string | undefined;
  host: string | undefined;
  anyHost: boolean;
  inPlace: boolean;
};

type Place = {
  repo: string | undefined;
  dir: string | undefined;
  host: string | undefined;
  isInPlace: boolean;
};

const planPlace = async (flags: PlaceFlags, { env, cwd }: CommandIo): Promise<Place> => {
  const { repo, dir, anyHost, inPlace } = flags;
  if ((repo === undefined) === (dir === undefined))
    throw new AppError("usage", "say where the work is: either --repo <url>, or --dir <path>");
  if (repo !== undefined) {
    if (flags.host !== undefined || anyHost || inPlace)
      throw new AppError(
        "usage",
        "--host, --any-host and --in-place belong to --dir; every host clones a --repo",
      );
    return { repo: checkRepo(repo), dir: undefined, host: undefined, isInPlace: false };
  }
  if (anyHost && flags.host !== undefined)
    throw new AppError("usage", "--any-host and --host exclude each other");
  const here = hostName(env);
  const isElsewhere = flags.host !== undefined && flags.host !== here;
  if (isElsewhere && !isAbsolute(dir ?? ""))
    throw new AppError(
      "usage",
      `${dir ?? ""} is not an absolute path; a folder on ${flags.host ?? ""} needs one`,
    );
  const path = isElsewhere ? (dir ?? "") : realFolder(dir ?? "", cwd);
  const isRepository =
    isElsewhere ||
    (await createGit(path, env).find(["rev-parse", "--verify", "--quiet", "HEAD"])) !== undefined;
  return {
    repo: undefined,
    dir: path,
    host: anyHost ? undefined : (flags.host ?? here),
    isInPlace: inPlace || !isRepository,
  };
};

const readIds = (texts: readonly string[]): number[] =>
  texts.flatMap((text) =>
    text.split(",").map((word) => {
      const id = Number(word);
      if (Number.isSafeInteger(id) && id > 0) return id;
      throw new AppError("usage", `--after takes ids of tasks, not "${word}"`);
    }),
  );

export const queueAdd = defineCommand({
  description:
    "The database is DATABASE_URL. With --repo a pool clones it and pushes the result to a branch of its own; with --dir the work is done on this host (or --host), in a git worktree of its own, or in the folder itself where it is no repository.",
  options: {
    worker: {
      type: "string",
      placeholder: "name",
      description: "A worker that the config declares, required",
    },
    task: { type: "string", description: "What it is to do, required" },
    repo: { type: "string", placeholder: "url", description: "Repository that any host can clone" },
    dir: { type: "string", placeholder: "path", complete: "folder", description: "Folder to work in" },
    host: {
      type: "string",
      placeholder: "name",
      description: "The host that --dir is on (default: this one)",
    },
    anyHost: { type: "boolean", description: "--dir is the same shared folder on every host" },
    inPlace: { type: "boolean", description: "Work in --dir itself, one task at a time, not in a worktree" },
    priority: {
      type: "integer",
      minimum: -1_000_000,
      maximum: 1_000_000,
      default: 0,
      placeholder: "n",
      description: "Higher goes first",
    },
    after: {
      type: "string",
      repeatable: true,
      placeholder: "id",
      description: "Only after this task has completed; several with commas",
    },
    attempts: {
      type: "integer",
      minimum: 1,
      maximum: 1000,
      default: 5,
      placeholder: "n",
      description: "How many runs may be cut off with their host before the task fails",
    },
  },
  examples: [
    'nightshift queue add --worker docs --task "Fix the broken links" --repo git@example.com:team/atlas.git',
    'nightshift queue add --worker tests --task "Cover the parser" --dir ~/atlas --after 12 --priority 5',
  ],
  run: async ({ options }, io) => {
    const { worker, task, priority, attempts } = options;
    if (worker === undefined || !new RegExp(WORKER_NAME).test(worker))
      throw new AppError("usage", "name the declared worker: --worker <name>");
    if (task === undefined || task.trim() === "")
      throw new AppError("usage", 'say what is to be done: --task "…"');
    if (task.includes("\u0000")) throw new AppError("usage", "the task holds a NUL character");
    const place = await planPlace(options, io);
    const after = readIds(options.after);
    const added = await withQueue(io, (queue) =>
      addJob(queue, { worker, task, ...place, priority, after, maxAttempts: attempts }),
    );
    const { reporter } = io;
    reporter.answer(taskView(added), [
      `task ${added.id} is ${added.state}${added.reason === undefined ? "" : ` ${added.reason}`}`,
      `  see   nightshift queue show ${added.id}`,
    ]);
  },
});
