import { AppError } from "../../../core/errors.ts";
import { createGit } from "../../../core/git.ts";
import { workersHome } from "../../../core/paths.ts";
import { readFileIfThere } from "../../../core/read-file.ts";
import { checkReceipt } from "../../../verdict/receipt/check-receipt.ts";
import { findOwnKey, ownKey, publicText } from "../../../verdict/receipt/keys.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";
import { receiptLines } from "../nightshift/show-receipt.ts";

export const receipt = defineCommand({
  description: "The signed receipt of the last verdict. With --json it is the whole in-toto statement.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: {
    file: { type: "boolean", description: "Only where it lies" },
    publicKey: { type: "boolean", description: "Only the key that others check your receipts by" },
  },
  examples: ["worker receipt docs", "worker receipt docs --public-key > nightshift.pub"],
  run: async ({ args, options }, { env, cwd, reporter }) => {
    const worker = getNamedWorker({ home: workersHome(env), cwd }, args.name);
    if (options.publicKey) {
      const text = publicText(ownKey(env));
      reporter.answer({ publicKey: text }, text.trimEnd());
      return true;
    }
    const path = worker.verdict?.receipt;
    const text = path === undefined ? undefined : readFileIfThere(path);
    if (path === undefined || text === undefined)
      throw new AppError(
        "not-found",
        `worker ${worker.name} has no receipt: no DONE of it was judged; judge its work with: worker verify ${worker.name}`,
      );
    if (options.file) {
      reporter.answer({ file: path }, path);
      return true;
    }
    const key = findOwnKey(env);
    const checked = await checkReceipt(text, { keys: key ? [key] : [], git: createGit(worker.dir, env) });
    reporter.answer({ file: path, ...checked }, [path, ...receiptLines(checked)]);
    return checked.faults.length === 0;
  },
});
