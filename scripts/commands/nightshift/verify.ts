import { systemClock } from "../../../core/clock.ts";
import { AppError } from "../../../core/errors.ts";
import { type Git, createGit } from "../../../core/git.ts";
import { withoutUndefined } from "../../../core/without-undefined.ts";
import { realFolder } from "../../../core/paths.ts";
import { readFileIfThere } from "../../../core/read-file.ts";
import { resolve } from "node:path";
import { checkReceipt, meets, subjectOf } from "../../../verdict/receipt/check-receipt.ts";
import { type CheckingKey, findOwnKey, readPublicKey } from "../../../verdict/receipt/keys.ts";
import { rerunReceipt } from "../../../verdict/receipt/rerun-receipt.ts";
import { findNote } from "../../../verdict/receipt/write-receipt.ts";
import { runGatesOf } from "../../../worker/session/judge-work.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { receiptLines } from "./show-receipt.ts";

type Io = Pick<CommandIo, "env" | "cwd">;

const readKeys = ({ env, cwd }: Io, file: string | undefined): CheckingKey[] => {
  if (file !== undefined) {
    const path = resolve(cwd, file);
    const text = readFileIfThere(path);
    if (text === undefined) throw new AppError("not-found", `there is no key ${path}`);
    return [readPublicKey(text, path)];
  }
  const own = findOwnKey(env);
  return own ? [own] : [];
};

const readText = async (
  { cwd }: Io,
  { file, commit, git }: { file: string | undefined; commit: string | undefined; git: Git | undefined },
): Promise<{ text: string; commit: string | undefined }> => {
  if (file !== undefined && commit !== undefined)
    throw new AppError("usage", "a receipt and --commit exclude each other; name one");
  if (file !== undefined) {
    const text = readFileIfThere(resolve(cwd, file));
    if (text === undefined) throw new AppError("not-found", `there is no receipt ${resolve(cwd, file)}`);
    return { text, commit: undefined };
  }
  if (commit === undefined || !git)
    throw new AppError("usage", "name a receipt, or a commit whose note holds one: --commit HEAD");
  const found = (await git.find(["rev-parse", "--verify", "--quiet", `${commit}^{commit}`]))?.trim();
  if (!found) throw new AppError("not-found", `there is no commit ${commit} here`);
  const text = await findNote(git, found);
  if (text === undefined)
    throw new AppError(
      "not-found",
      `commit ${found.slice(0, 12)} has no receipt; fetch the notes: git fetch origin refs/notes/nightshift:refs/notes/nightshift`,
    );
  return { text, commit: found };
};

export const verify = defineCommand({
  description:
    "Proves a receipt without any network: its signature, that no byte of it was changed (what was is named), and, with a repository, that commits, trees and sealed files are those it names. Exit 0: proved, and the verdict is what --require asks for. See docs/verdict.md.",
  args: [{ name: "receipt", description: "File of the receipt", isOptional: true, complete: "file" }],
  options: {
    commit: { type: "string", placeholder: "commit", description: "The receipt in the note of this commit" },
    repo: {
      type: "string",
      placeholder: "folder",
      complete: "folder",
      description: "Repository that it is about (with --commit: the one stood in)",
    },
    run: { type: "boolean", description: "Run the gates again, in a clean checkout of the commit" },
    require: { type: "string", placeholder: "word", description: "Verdict that it must be, as: complete" },
    key: {
      type: "string",
      placeholder: "file",
      complete: "file",
      description: "Public key that it must be signed by (default: your own)",
    },
  },
  examples: [
    "nightshift verify receipt.json",
    "nightshift verify receipt.json --repo . --run",
    "nightshift verify --commit HEAD --require complete --key nightshift.pub",
  ],
  run: async ({ args, options }, { env, cwd, signal, reporter }) => {
    const needsRepo = options.commit !== undefined || options.run;
    const folder = options.repo ?? (needsRepo ? "." : undefined);
    const git = folder === undefined ? undefined : createGit(realFolder(folder, cwd), env);
    const io = { env, cwd };
    const { text, commit } = await readText(io, { file: args.receipt, commit: options.commit, git });
    const checked = await checkReceipt(text, { keys: readKeys(io, options.key), git });
    const { statement, faults } = checked;
    if (statement) {
      if (commit !== undefined && subjectOf(statement) !== commit)
        faults.push(
          `subject: is about ${subjectOf(statement).slice(0, 12)}, not about ${commit.slice(0, 12)}`,
        );
      const { verdict } = statement.predicate;
      if (options.require !== undefined && !meets(verdict, options.require))
        faults.push(`verdict: is ${verdict}, and ${options.require} is required`);
      if (options.run && git && faults.length === 0)
        faults.push(
          ...(await rerunReceipt(
            {
              env: withoutUndefined(env) as Record<string, string>,
              git,
              clock: systemClock,
              signal,
              runGates: (asked) => runGatesOf({ clock: systemClock }, asked),
              onStep: reporter.note,
            },
            { statement, dir: realFolder(folder ?? ".", cwd) },
          )),
        );
    }
    reporter.answer({ isProved: faults.length === 0, ...checked }, receiptLines(checked));
    return faults.length === 0;
  },
});
