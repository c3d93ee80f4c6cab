import { resolve } from "node:path";
import { plural } from "../../../core/plural.ts";
import { AppError } from "../../../core/errors.ts";
import { publishFolder, type PublishEvent, type Published } from "../../publish/publish-folder.ts";
import { defineCommand } from "../../command/define-command.ts";
import { formatBytes } from "../../command/format-bytes.ts";
import { createProgressBar, type ProgressBar } from "../../command/progress-bar.ts";
import type { Reporter } from "../../command/reporter.ts";
import { openServer, SERVER_OPTIONS } from "./server-options.ts";

const MAX_LISTED = 20;
const changeText = ({ added, changed, removed, unchanged }: Published["plan"]): string =>
  `${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged`;

const changeLines = (
  { added, changed, removed, unchanged }: Published["plan"],
  { style }: Reporter,
): string[] => {
  // Of a new site everything is new: no news.
  if (changed.length + removed.length + unchanged === 0) return [];
  const lines = [
    ...added.map((path) => style.green(`+ ${path}`)),
    ...changed.map((path) => style.yellow(`~ ${path}`)),
    ...removed.map((path) => style.red(`- ${path}`)),
  ];
  const more = lines.length - MAX_LISTED;
  return more > 0 ? [...lines.slice(0, MAX_LISTED), style.dim(`… and ${more} more`)] : lines;
};

const skippedText = (skipped: Published["skipped"]): string => {
  const hidden = skipped.filter(({ reason }) => reason === "hidden").map(({ path }) => path);
  const others = skipped
    .filter(({ reason }) => reason !== "hidden")
    .map(({ path, reason }) => `${path} (${reason})`);
  const named = [...hidden, ...others];
  return `left out: ${named.slice(0, 5).join(", ")}${named.length > 5 ? ` and ${named.length - 5} more` : ""}`;
};

const follow = (event: PublishEvent, bar: ProgressBar, reporter: Reporter): void => {
  switch (event.kind) {
    case "collected":
      bar.clear();
      if (event.skipped.length > 0) reporter.note(reporter.style.dim(skippedText(event.skipped)));
      break;
    case "hashing":
      bar.show(
        "hashing",
        event.doneBytes,
        event.bytes,
        `${formatBytes(event.doneBytes)} of ${formatBytes(event.bytes)}`,
      );
      break;
    case "planned":
      bar.clear();
      for (const warning of event.warnings) reporter.note(`${reporter.style.yellow("warning:")} ${warning}`);
      break;
    case "uploading":
      bar.show(
        "uploading",
        event.doneBytes,
        event.bytes,
        `${formatBytes(event.doneBytes)} of ${formatBytes(event.bytes)}, ${event.doneFiles}/${plural(event.files, "file")}`,
      );
      break;
    case "activating":
      bar.clear();
  }
};

const answerLines = (done: Published, reporter: Reporter): string[] => {
  const { style } = reporter;
  const size = `${plural(done.files, "file")}, ${formatBytes(done.bytes)}`;
  if (done.mode === "dry-run")
    return [`${done.site} would change: ${changeText(done.plan)}`, ...changeLines(done.plan, reporter)];
  if (!done.changed) return [`${done.site} is up to date (${size}): ${style.cyan(done.siteUrl ?? "")}`];
  const sent = `uploaded ${plural(done.uploadedFiles, "file")}, ${formatBytes(done.uploadedBytes)} of ${size}`;
  const changes = [changeText(done.plan), ...changeLines(done.plan, reporter)];
  if (done.mode === "preview")
    return [
      `preview: ${style.cyan(done.previewUrl ?? "")}`,
      sent,
      ...changes,
      `go live with: nightshift publish, without --preview`,
    ];
  return [`live: ${style.cyan(done.siteUrl ?? "")}`, sent, ...changes];
};

/** A refused manifest names every file and its fault. */
const withFaults = (error: unknown, reporter: Reporter): unknown => {
  if (!(error instanceof AppError) || error.faults.length < 2) return error;
  const { faults } = error;
  for (const { message } of faults.slice(0, MAX_LISTED)) reporter.note(`  ${message}`);
  if (faults.length > MAX_LISTED) reporter.note(`  … and ${faults.length - MAX_LISTED} more`);
  return error;
};

export const publish = defineCommand({
  description:
    "Hashes the folder, uploads in parallel only what the server does not have, and puts it live in one step. Hidden files and links out of the folder are left out.",
  args: [{ name: "dir", description: "the folder, with an index.html in it", complete: "folder" }],
  options: {
    site: { type: "string", placeholder: "name", complete: "site", description: "The site's name" },
    preview: { type: "boolean", description: "Upload and show it at a preview address without going live" },
    dryRun: { type: "boolean", description: "Only say what would change" },
    message: { type: "string", short: "m", description: "A note for the history" },
    parallel: { type: "integer", minimum: 1, maximum: 32, default: 8, description: "Uploads at once" },
    ...SERVER_OPTIONS,
  },
  examples: [
    "nightshift publish dist --site docs",
    "nightshift publish dist --site docs --preview",
    "nightshift publish dist --site docs --dry-run --json | jq .plan.changed",
  ],
  run: async ({ args, options }, io) => {
    const { reporter, cwd, env, signal } = io;
    if (options.site === undefined)
      throw new AppError("usage", "--site is missing: the name of the site to publish");
    const server = await openServer(options, io);
    const bar = createProgressBar(process.stderr, { isQuiet: reporter.isJson, now: () => performance.now() });
    const { site, message, parallel } = options;
    const mode = options.dryRun ? "dry-run" : options.preview ? "preview" : "live";
    try {
      const done = await publishFolder(
        { server, signal, onEvent: (event) => follow(event, bar, reporter) },
        { folder: resolve(cwd, args.dir), site, mode, message, parallel, run: env["NIGHTSHIFT_RUN"] },
      );
      bar.clear();
      reporter.answer(done, answerLines(done, reporter));
    } catch (error) {
      bar.clear();
      throw withFaults(error, reporter);
    }
  },
});
