import { withoutUndefined } from "../../../core/without-undefined.ts";
import { inPath, type ServerApi } from "../../../client/server-client.ts";
import { nameSecrets, withoutNamedSecrets } from "../../../core/redaction.ts";
import { pickVariables } from "../../../sandbox/environment.ts";
import { AppError } from "../../../core/errors.ts";
import { defineCommand } from "../../command/define-command.ts";
import type { Reporter } from "../../command/reporter.ts";
import { listing } from "../../command/table.ts";
import { MEMORY_OPTIONS, openMemoryApi } from "./memory-options.ts";

type View = { type: "learning" | "failure" | "state"; trigger: string; learning: string };

const oneLine = (text: string): string => text.replace(/\s+/g, " ");
const told = ({ type, trigger, learning }: View): string =>
  `${type === "learning" ? "" : `[${type}] `}${oneLine(trigger)}: ${oneLine(learning)}`;

const answerTable = (reporter: Reporter, value: unknown, rows: string[][], head: string[]): void =>
  reporter.answer(value, rows.length === 0 ? "nothing" : listing(reporter, head, rows));

export const memorySearch = defineCommand({
  args: [{ name: "text", description: "what you are about to do", isVariadic: true }],
  options: {
    limit: {
      type: "integer",
      short: "n",
      minimum: 1,
      maximum: 50,
      default: 5,
      description: "How many at most",
    },
    project: {
      type: "string",
      placeholder: "name",
      description: "Only this project's learnings and those of none",
    },
    ...MEMORY_OPTIONS,
  },
  examples: ['nightshift memory search "deploy the api to kubernetes"'],
  run: async ({ args, options }, io) => {
    const { call } = await openMemoryApi(options, io);
    const { learnings } = await call((client) =>
      client.query.post(
        withoutUndefined({
          context: args.text.join(" "),
          limit: options.limit,
          project: options.project,
        }),
      ),
    );
    const rows = learnings.map((one) => [one.score?.toFixed(1) ?? "", one.id.slice(0, 8), told(one)]);
    answerTable(io.reporter, learnings, rows, ["SCORE", "ID", "WHEN: WHAT"]);
    return learnings.length > 0;
  },
});

export const memoryAdd = defineCommand({
  args: [
    { name: "trigger", description: "when it matters" },
    { name: "learning", description: "what to do then; for a failure: what did not work" },
  ],
  options: {
    type: {
      type: "string",
      choices: ["learning", "failure", "state"],
      default: "learning",
      description: "Which kind",
    },
    alternative: { type: "string", placeholder: "text", description: "For a failure: what works instead" },
    confidence: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: "How sure you are, 0 to 1 (default 1)",
    },
    project: { type: "string", placeholder: "name", description: "The project it is for (default: all)" },
    reason: { type: "string", placeholder: "text", description: "Why" },
    ttl: { type: "integer", minimum: 1, placeholder: "seconds", description: "Forget it after this time" },
    marker: { type: "string", placeholder: "tag", description: "A tag to delete it by" },
    ...MEMORY_OPTIONS,
  },
  examples: ['nightshift memory add "deploying the api" "run the migration job first"'],
  run: async ({ args, options }, io) => {
    const { call } = await openMemoryApi(options, io);
    const { url: _url, keyFile: _keyFile, ...fields } = options;
    // In a session: what the config calls a secret must not be read out of the memory by the next one.
    nameSecrets(pickVariables(io.env, (io.env["NIGHTSHIFT_SECRETS"] ?? "").split(",")));
    const body = withoutNamedSecrets(withoutUndefined({ ...args, ...fields }));
    const stored = await call((client) => client.learn.post(body));
    const against = stored.contradicts.length > 0 ? `; contradicts ${stored.contradicts.join(", ")}` : "";
    io.reporter.answer(stored, `${stored.status} ${stored.id}${against}`);
  },
});

type Listed = { limit: number; project?: string | undefined; type?: View["type"] | undefined };

const listPage = async ({ call }: ServerApi, filter: Listed) => {
  const page = await call((client) => client.learnings.get({ query: withoutUndefined(filter) }));
  return Array.isArray(page) ? { learnings: page, total: page.length } : page;
};

export const memoryList = defineCommand({
  options: {
    limit: {
      type: "integer",
      short: "n",
      minimum: 1,
      maximum: 1000,
      default: 20,
      description: "How many at most",
    },
    project: { type: "string", placeholder: "name", description: "Only this project's own" },
    type: { type: "string", choices: ["learning", "failure", "state"], description: "Only this kind" },
    ...MEMORY_OPTIONS,
  },
  examples: ["nightshift memory list", "nightshift memory list --type failure --limit 5"],
  run: async ({ options }, io) => {
    const { limit, project, type } = options;
    const page = await listPage(await openMemoryApi(options, io), { limit, project, type });
    const rows = page.learnings.map((one) => [one.id.slice(0, 8), one.createdAt.slice(0, 10), told(one)]);
    answerTable(io.reporter, page, rows, ["ID", "SINCE", "WHEN: WHAT"]);
    if (page.total > rows.length)
      io.reporter.note(`${page.total - rows.length} more; see them with -n ${Math.min(1000, page.total)}`);
  },
});

/** The ids that a beginning of them names, so that what `list` shows can be typed. */
const fullId = async (api: ServerApi, id: string): Promise<string> => {
  if (id.length >= 36) return id;
  const { learnings } = await listPage(api, { limit: 1000 });
  const [found, ...more] = learnings.filter((one) => one.id.startsWith(id));
  if (!found) throw new AppError("not-found", `there is no learning ${id}; see: nightshift memory list`);
  if (more.length > 0)
    throw new AppError("usage", `${id} is the beginning of ${more.length + 1} ids; write more of it`);
  return found.id;
};

export const memoryRm = defineCommand({
  args: [{ name: "ids", description: "ids or beginnings of them", isVariadic: true, isOptional: true }],
  options: {
    marker: { type: "string", placeholder: "tag", description: "Delete everything written with this marker" },
    ...MEMORY_OPTIONS,
  },
  examples: ["nightshift memory rm 5b8f6c1e", "nightshift memory rm --marker run-7"],
  run: async ({ args, options }, io) => {
    if (args.ids.length === 0 && options.marker === undefined)
      throw new AppError("usage", "name the ids to delete, or --marker");
    const api = await openMemoryApi(options, io);
    const deleted: string[] = [];
    for (const id of await Promise.all(args.ids.map((id) => fullId(api, id)))) {
      await api.call((client) => client.learning({ id: inPath(id) }).delete());
      deleted.push(id);
    }
    const { marker } = options;
    if (marker !== undefined)
      deleted.push(
        ...(await api.call((client) => client.learnings.delete(undefined, { query: { marker } }))).ids,
      );
    io.reporter.answer({ deleted }, `deleted ${deleted.length}`);
    return deleted.length > 0;
  },
});
